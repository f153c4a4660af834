/**
 * Builds `dist` for publishing; development needs no build. The compiler writes the declarations. A bundler writes the code: a few
 * files load several times faster than hundreds, and of zod only what is used (its messages in 50 languages are not).
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });

const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const declared = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (declared.status !== 0) process.exit(declared.status ?? 1);

const entries = ['index', 'testing/testing', 'testing/contracts', 'cli/main'];
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  // Loaded when they are needed, or chosen by the user.
  external: [/^@ai-sdk\//, /^(minisearch|htmlparser2|vitest|fast-check)$/],
});
await bundle.write({
  dir: `${root}dist`,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Read on every start; the declarations keep them.
  comments: false,
});
await bundle.close();
