import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  return { modules: JSON.parse(readFileSync(file, 'utf8')), stdout, stderr };
}

const packagesOf = (modules: string[]): string[] => modules.filter((name) => !name.startsWith('node:')).sort();

const agentOf = (options: string): string => `
  const { calculator, defineAgent, searchDocs, sqliteHost, verification } = assay;
  const agent = defineAgent({ model: 'script:script.json', layers: [verification({ verifier: false })], ${options} });
  const result = await agent.run('What is 6 * 7?');
  console.log(result.status, result.answer);
  await agent.close();`;

test('the library and a scripted run load no vendor, no search engine, no HTML parser and no SQLite', async () => {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(sumScript()));
  const { modules, stdout, stderr } = await loadedBy(agentOf('tools: [calculator(), searchDocs(".")]'));
  expect(stdout.trim()).toBe('completed It is 42.');
  expect(stderr).toBe('');
  expect(packagesOf(modules)).toEqual(['@ai-sdk/provider', 'zod']);
  expect(modules).not.toContain('node:sqlite');
});

test('SQLite is loaded by the first host or store that uses it', async () => {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(sumScript()));
  const host = "tools: [calculator()], host: sqliteHost({ file: 'runs.db' })";
  const { modules, stdout } = await loadedBy(agentOf(host));
  expect(stdout.trim()).toBe('completed It is 42.');
  expect(modules).toContain('node:sqlite');
});

test('the search engine and the HTML parser are loaded by the first search', async () => {
  writeFileSync(join(folder, 'page.html'), '<h1>Harbour</h1><p>The harbour opens at six.</p>');
  const { modules, stdout } = await loadedBy(`
    const tool = assay.searchDocs('.');
    const signal = AbortSignal.timeout(10_000);
    console.log(JSON.stringify(await tool.run({ query: 'harbour' }, { signal })));`);
  expect(stdout).toContain('opens at six');
  expect(packagesOf(modules)).toEqual(expect.arrayContaining(['htmlparser2', 'minisearch']));
});

test('a vendor is loaded by its first model, and only that one', async () => {
  const { modules } = await loadedBy("await assay.resolveModel('openai:any', { env: { OPENAI_API_KEY: 'none' } });");
  const vendors = ['@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai', '@ai-sdk/openai-compatible'];
  expect(modules.filter((name) => vendors.includes(name))).toEqual(['@ai-sdk/openai']);
});
