/** The tools that are fuzzed. A new tool is one entry: how it is made in a scene, and values that get its calls past validation. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { calculator } from '../../src/tools/builtin/calculator/calculator.ts';
import { files } from '../../src/tools/builtin/files.ts';
import { runCode } from '../../src/tools/builtin/run-code.ts';
import { readDoc, searchDocs } from '../../src/tools/builtin/search-docs.ts';
import { shell } from '../../src/tools/builtin/shell.ts';
import { sql } from '../../src/tools/builtin/sql.ts';
import { hostileText } from './hostile-arguments.ts';
import { hostileTool } from './hostile-outputs.ts';
import { networkTargets } from './network-targets.ts';
import type { Scene } from './scene.ts';
import type { Made, Target } from './target.ts';

const segments = [
  '..',
  '.',
  '',
  'a.txt',
  'docs',
  'deep',
  'away',
  'inside',
  'pipe',
  'new',
  '.env',
  '...',
  'x\u202ey',
  'a b',
  'pack.zip',
  '~',
];
const names = fc.constantFrom(
  'a.txt',
  'a.txt',
  'docs/guide.md',
  'docs/deep/b.csv',
  'docs/../a.txt',
  'docs',
  '.',
  'pack.zip',
  'new/file.md',
  'away/secret.txt',
  'inside/guide.md',
);
const built = fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));

function paths(scene: Scene): fc.Arbitrary<string> {
  const absolute = fc.tuple(
    fc.constantFrom(scene.root, `${scene.root}-two`, scene.decoy, `${scene.root}/../decoy`),
    built,
  );
  return fc.oneof(
    { weight: 7, arbitrary: names },
    { weight: 3, arbitrary: built },
    { weight: 1, arbitrary: absolute.map((parts) => parts.join('/')) },
    { weight: 1, arbitrary: hostileText },
  );
}

/** Files with everything that may stand in a folder: links out and in, a pipe, a hidden file, an archive. */
function fill({ root, decoy }: Scene): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(path.join(root, 'docs/deep'), { recursive: true });
  writeFileSync(path.join(root, 'a.txt'), 'one fare\r\ntwo\r\n');
  writeFileSync(path.join(root, 'docs/guide.md'), '# Guide\n\nThe fare is 4.\n');
  writeFileSync(path.join(root, 'docs/deep/b.csv'), 'code,fare\nB1,4\n');
  writeFileSync(path.join(root, '.env'), 'KEY=1\n');
  writeFileSync(path.join(root, 'pack.zip'), Buffer.from(smallZip, 'base64'));
  symlinkSync(decoy, path.join(root, 'away'));
  symlinkSync('docs', path.join(root, 'inside'));
  symlinkSync(path.join(decoy, 'none.txt'), path.join(root, 'dangling.txt'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(root, 'pipe')]);
}

/** `note.txt` with "fare 4\n", and `../up.txt`. */
const smallZip =
  'UEsDBBQAAAAAAAAAIQDJkvpaBwAAAAcAAAAIAAAAbm90ZS50eHRmYXJlIDQKUEsDBBQAAAAAAAAAIQDJkvpaBwAAAAcAAAAJAAAALi4vdXAudHh0ZmFyZSA0ClBLAQIUAxQAAAAAAAAAIQDJkvpaBwAAAAcAAAAIAAAAAAAAAAAAAACAAQAAAABub3RlLnR4dFBLAQIUAxQAAAAAAAAAIQDJkvpaBwAAAAcAAAAJAAAAAAAAAAAAAACAAS0AAAAuLi91cC50eHRQSwUGAAAAAAIAAgBtAAAAWwAAAAAA';

const expression = fc.array(
  fc.constantFrom(
    '1',
    '2.5',
    '99',
    '(',
    ')',
    '+',
    '-',
    '*',
    '/',
    '^',
    '!',
    '%',
    ' of ',
    'sqrt(',
    'mod',
    'e',
    'pi',
    ',',
    '1e99',
    'x',
  ),
  { maxLength: 20 },
);

export const targets: readonly Target[] = [
  { name: 'outputs', limitMs: 15_000, maxChars: 10_000_000, make: () => ({ tools: [hostileTool()], dictionary: {} }) },
  {
    name: 'calculator',
    limitMs: 10_000,
    make: () => ({ tools: [calculator()], dictionary: { expression: expression.map((parts) => parts.join('')) } }),
  },
  {
    name: 'documents',
    limitMs: 15_000,
    make: (scene) => {
      fill(scene);
      const dictionary = {
        path: paths(scene),
        from: fc.constantFrom(1, 2),
        query: fc.constantFrom('fare', 'guide', 'B1', '价格'),
      };
      return { tools: [searchDocs(scene.root), readDoc(scene.root)], dictionary };
    },
  },
  {
    name: 'files',
    limitMs: 15_000,
    make: (scene) => {
      fill(scene);
      const dictionary = {
        path: paths(scene),
        from: fc.constantFrom(1, 1, 1, 1, 2),
        lines: fc.constantFrom(1, 2, undefined),
        expectSha256: fc.constantFrom(undefined, undefined, undefined, '0'.repeat(16)),
        entry: fc.oneof(
          { weight: 4, arbitrary: fc.constant(undefined) },
          fc.constantFrom('note.txt', '../up.txt', 'missing'),
          built,
        ),
        text: fc.constantFrom('fare', 'canary', 'e', '(a+)+$'),
        glob: fc.oneof(fc.constantFrom('*', '**', '*.md', 'docs/**', '../**', '{a,b}*', '*a*a*a*a*b'), built),
        oldText: fc.constantFrom('fare', 'one', '4', '\n', 'two\n'),
        newText: hostileText,
        content: hostileText,
      };
      return { tools: files(scene.root, { write: true }), dictionary, reset: () => fill(scene) };
    },
  },
  { name: 'sql', limitMs: 20_000, executed: 40, make: sqlTarget },
  {
    name: 'runCode',
    limitMs: 60_000,
    executed: 20,
    make: () => ({
      tools: [runCode({ timeoutMs: 2_000 })],
      dictionary: {
        language: fc.constantFrom('javascript', 'python'),
        code: fc.constantFrom(
          '1 + 1',
          'print(1)',
          'while (true) {}',
          "require('fs')",
          "open('/etc/passwd').read()",
          'throw null',
        ),
        stdin: hostileText,
      },
    }),
  },
  {
    name: 'shell',
    limitMs: 30_000,
    executed: 150,
    make: (scene) => {
      fill(scene);
      const commands = [
        'ls -la',
        'cat away/secret.txt',
        `echo x > ${scene.decoy}/secret.txt`,
        'cat /proc/1/environ',
        'rm -rf / 2>&1',
      ];
      const dictionary = { command: fc.oneof(fc.constantFrom(...commands), hostileText) };
      return { tools: [shell({ root: scene.root, timeoutMs: 5_000 })], dictionary, reset: () => fill(scene) };
    },
  },
  ...networkTargets,
];

function sqlTarget(scene: Scene): Made {
  const file = path.join(scene.root, 'items.db');
  const reset = () => {
    rmSync(file, { force: true });
    const database = new DatabaseSync(file);
    database.exec(
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items (name) VALUES ('a'), ('b')",
    );
    database.close();
  };
  mkdirSync(scene.root, { recursive: true });
  reset();
  const statements = [
    'SELECT * FROM items',
    'SELECT count(*) AS n FROM items',
    "SELECT name FROM items WHERE name LIKE '%a%'",
    "UPDATE items SET name = 'd' WHERE id = 1",
    'SELECT 1; SELECT 2',
    `ATTACH '${scene.decoy}/secret.txt' AS x`,
    `VACUUM INTO '${scene.decoy}/copy.db'`,
    "SELECT load_extension('x')",
    "SELECT writefile('escaped', 'x')",
    'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n',
    "INSERT INTO items (name) VALUES ('c')",
    'DELETE FROM items WHERE id = ?',
    'PRAGMA journal_mode = WAL',
  ];
  const dictionary = {
    sql: fc.oneof(fc.constantFrom(...statements), hostileText),
    params: fc.constantFrom([], [], [], [1]),
    table: fc.constantFrom('items', 'sqlite_master', "items'; --"),
  };
  return { tools: sql({ sqlite: file }, { write: true, timeoutMs: 1_000 }), dictionary, reset };
}
