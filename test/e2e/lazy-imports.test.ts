import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sumScript } from './cli-process.ts';

const library = new URL('../../src/index.ts', import.meta.url).href;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lazy-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs code with the library as `assay` in a process of its own; gives the packages and `node:` modules that were loaded. */
async function loadedBy(code: string): Promise<{ modules: string[]; stdout: string; stderr: string }> {
  const file = join(folder, 'modules.json');
  const script = `
    import { writeFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    const modules = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const resolved = next(specifier, context);
        if (resolved.url.startsWith('node:')) modules.add(resolved.url);
        const inside = resolved.url.split('/node_modules/').at(1);
        if (inside) modules.add(inside.split('/').slice(0, inside.startsWith('@') ? 2 : 1).join('/'));
        return resolved;
      },
    });
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify([...modules])));
    const assay = await import(${JSON.stringify(library)});
    ${code}`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
  });
  const { default: modules } = await import(file, { with: { type: 'json' } });
  return { modules, stdout, stderr };
}

const packagesOf = (modules: string[]): string[] => modules.filter((name) => !name.startsWith('node:')).sort();

const agentOf = (more: string): string => `
  const { calculator, defineAgent, sqliteHost, searchDocs, verification } = assay;
  const layers = [verification({ verifier: false })];
  const agent = defineAgent({ model: 'script:script.json', tools: [calculator()], layers, ${more} });
  const result = await agent.run('What is 6 * 7?');
  console.log(result.status, result.answer);
  await agent.close?.();`;

test('importing the library and running a scripted agent load no vendor, no search engine, no HTML parser and no SQLite', async () => {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(sumScript()));
  const { modules, stdout, stderr } = await loadedBy(agentOf(''));
  expect(stdout.trim()).toBe('completed It is 42.');
  expect(stderr).toBe('');
  expect(packagesOf(modules)).toEqual(['@ai-sdk/provider', 'zod']);
  expect(modules).not.toContain('node:sqlite');
});

test('what is needed is loaded when it is used', async () => {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(sumScript()));
  const sqlite = await loadedBy(agentOf("host: sqliteHost({ file: 'runs.db' })"));
  expect(sqlite.stdout.trim()).toBe('completed It is 42.');
  expect(sqlite.modules).toContain('node:sqlite');

  writeFileSync(join(folder, 'page.html'), '<h1>Harbour</h1><p>The harbour opens at six.</p>');
  const search = { rules: [{ when: { turn: 1 }, reply: { calls: [call('searchDocs', { query: 'harbour' })] } }] };
  const final = call('final', { answer: 'At six.', claims: [] });
  writeFileSync(
    join(folder, 'script.json'),
    JSON.stringify({ rules: [...search.rules, { when: {}, reply: { calls: [final] } }] }),
  );
  const documents = await loadedBy(agentOf("tools: [searchDocs('.')]"));
  expect(packagesOf(documents.modules)).toEqual(expect.arrayContaining(['htmlparser2', 'minisearch']));

  const vendor = await loadedBy("await assay.resolveModel('openai:any', { env: { OPENAI_API_KEY: 'none' } });");
  expect(packagesOf(vendor.modules)).toContain('@ai-sdk/openai');
  expect(packagesOf(vendor.modules)).not.toContain('@ai-sdk/anthropic');
});

function call(tool: string, input: unknown): unknown {
  return { tool, input };
}
