/**
 * Builds `dist` for publishing; development needs no build. The compiler writes the declarations. A bundler writes the code: a few
 * files load several times faster than hundreds, and of zod only what is used (its messages in 50 languages are not). The page comes
 * from its own workspace.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModuleInfo, type Plugin, rolldown } from 'rolldown';
import { build as buildPage } from 'vite';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });

const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const declared = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (declared.status !== 0) process.exit(declared.status ?? 1);

const imports = new Map<string, readonly string[]>();

// A worker is started by its file name.
const workers = globSync('src/tools/workers/*.ts', { cwd: root, exclude: (file) => file.endsWith('.test.ts') });
const entries = [
  'index',
  'evals/index',
  'evals/vitest',
  'trace/open-telemetry-entry',
  'runtime/restate-entry',
  'server/entry',
  'testing/testing',
  'testing/contracts',
  'cli/main',
].map((entry) => [entry, `src/${entry}.ts`]);
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries([...entries, ...workers.map((file) => [`workers/${basename(file, '.ts')}`, file])]),
  // Loaded when they are needed, or chosen by the user.
  external: [
    /^@ai-sdk\/(?!provider$)/,
    /^(@mozilla\/readability|aws4fetch|fast-check|htmlparser2|linkedom|minisearch|node-llama-cpp|pg|pyodide|robots-parser|turndown|unpdf|vitest|yaml|yauzl)$/,
    /^(@modelcontextprotocol\/sdk|@opentelemetry|@restatedev|@jitl|quickjs-emscripten-core)/,
  ],
  plugins: [plainCommander(), quickBuiltins(), { name: 'module-graph', moduleParsed: noteImports }],
});
await bundle.write({
  dir: `${root}dist`,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Read on every start: the declarations keep the comments, and names stay for whoever reads a stack.
  comments: false,
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  // What every command, every agent and every run needs is one file each.
  codeSplitting: {
    groups: [
      { name: 'command', test: isNeededBy('src/cli/program.ts'), priority: 3 },
      { name: 'agent', test: isNeededBy('src/cli/build-agent.ts'), priority: 2 },
      { name: 'run', test: isNeededBy('src/cli/commands/run.ts'), priority: 1 },
    ],
  },
});
await bundle.close();

const ofPage = new Set<string>();
const pageGraph: Plugin = { name: 'module-graph', moduleParsed: ({ id }) => void ofPage.add(id) };
await buildPage({ root: `${root}web`, logLevel: 'warn', plugins: [pageGraph] });
cpSync(`${root}web/dist`, `${root}dist/web`, { recursive: true });
writeFileSync(`${root}dist/THIRD-PARTY-NOTICES.txt`, thirdPartyNotices([...imports.keys(), ...ofPage]));

function noteImports(module: ModuleInfo): void {
  imports.set(module.id, module.importedIds);
}

/** Whether a module is loaded with the given one: imported by it, directly or not, and not only when it is needed. */
function isNeededBy(file: string): (id: string) => boolean {
  const needed = new Set<string>();
  const add = (id: string): void => {
    if (needed.has(id)) return;
    needed.add(id);
    for (const imported of imports.get(id) ?? []) add(imported);
  };
  return (id) => {
    if (needed.size === 0) add(root + file);
    return needed.has(id);
  };
}

/** Commander can start other programs as subcommands. Ours are functions, and what starts programs takes 3 ms to load. */
function plainCommander(): Plugin {
  const empty = '\0no-child-process';
  return {
    name: 'plain-commander',
    resolveId: (id, importer) => (id === 'node:child_process' && importer?.includes('/commander/') ? empty : undefined),
    load: (id) => (id === empty ? 'export default {};' : undefined),
  };
}

/**
 * Takes built-in modules without an import. An import reads every export, and some are getters that load more modules: 3 ms for
 * `node:fs` or `node:util`, 5 ms for `node:process`.
 */
function quickBuiltins(): Plugin {
  const statement = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{[^}]*\})? from "(node:[\w/]+)";$/gm;
  return {
    name: 'quick-builtins',
    renderChunk: (code) =>
      code.replace(statement, (_, whole: string | undefined, names: string | undefined, builtin: string) => {
        return [whole, names?.replaceAll(' as ', ': ')]
          .filter((target) => target !== undefined)
          .map((target) => `const ${target} = process.getBuiltinModule("${builtin}");`)
          .join(' ');
      }),
  };
}
