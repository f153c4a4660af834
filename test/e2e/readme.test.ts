/** What the documents show is tried: the code runs, the commands exist, the links lead somewhere. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Desk, type Ended } from './cli-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sample = join(root, 'examples/price-desk');
const readme = read('README.md');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-readme-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

interface Block {
  language: string;
  code: string;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
}

/** The rows of all tables, as lists of cells; the lines under the headers are left out. */
function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|') && !/^\|[\s:|-]+$/.test(line));
  return lines.map((line) => line.split('|').slice(1, -1));
}

/** What stands in backticks in the running text. */
function codesOf(markdown: string): string[] {
  const text = markdown.replace(/^```.*?^```$/gms, '');
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The programs of the README, in their order. */
const programs = blocksOf(readme).filter(({ language }) => language === 'ts');

/** Replaces what occurs once, so that a changed document does not run unchanged. */
function swap(code: string, from: string | RegExp, to: string): string {
  expect(code.split(from).length, `${from} in ${code}`).toBe(2);
  return code.replace(from, to);
}

/** Runs a module in the temporary folder, without the keys of whoever runs the tests. */
async function run(file: string): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  return promisify(execFile)(process.execPath, [file], { cwd: folder, env });
}

async function inDesk<T>(use: (assay: (...args: string[]) => Promise<Ended>, desk: Desk) => Promise<T>): Promise<T> {
  const desk = new Desk();
  try {
    return await use((...args) => desk.assay(args), desk);
  } finally {
    desk.remove();
  }
}

test("the README's library example runs as it is printed, but for the model and the folder", async () => {
  const [example] = programs;
  const here = swap(example!.code, "'assay'", `'${new URL('../../src/index.ts', import.meta.url).href}'`);
  const scripted = swap(here, /^ {2}model: .*$/m, `  model: 'script:${join(sample, 'script.json')}',`);
  const file = join(folder, 'example.mts');
  writeFileSync(file, swap(scripted, './docs', join(sample, 'docs/en')));
  const { stdout, stderr } = await run(file);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^run\.start$/m);
  expect(stdout).toMatch(/^revised The total is 4,386\.00 euros/m);
  expect(existsSync(join(folder, '.assay/assay.db'))).toBe(true);
});

test("the README's suite is evaluated as it is printed, but for the model", async () => {
  const [, suite] = programs;
  const model = "model: () => JSON.stringify({ type: 'final', answer: 'It is 2.', claims: [] })";
  await inDesk(async (assay, desk) => {
    desk.write('tasks.csv', 'id,question,answer\none,What is 1 + 1?,2\ntwo,What is 2 + 2?,4\n');
    desk.write('suite.ts', swap(suite!.code, /model: 'openai:gpt-5-mini'/, model));
    const { code, stdout, stderr } = await assay('eval', 'suite.ts');
    expect(stderr).toContain('4 of 4');
    expect(stdout).toMatch(/^direct \(baseline\) +50 %/m);
    expect(stdout).toMatch(/^checked \*/m);
    expect(stdout).toMatch(/✗ .*80(\.0)? %/);
    expect(code).toBe(1);
  });
});

test("the README's models by role are taken as they are printed, but for the ids", async () => {
  const [, , roles, ...others] = programs;
  expect(others).toEqual([]);
  const answers = join(folder, 'answers.json');
  const final = { calls: [{ tool: 'final', input: { answer: 'It is 2.', claims: [] } }] };
  writeFileSync(answers, JSON.stringify({ rules: [{ when: { role: 'actor' }, reply: final }] }));
  const script = `script:${answers}`;
  const code = swap(swap(roles!.code, 'anthropic:claude-sonnet-4-6', script), "'openai:gpt-5-mini']", `'${script}']`);
  const library = new URL('../../src/index.ts', import.meta.url).href;
  const file = join(folder, 'roles.mts');
  const ask = "console.log((await agent.run('What is 1 + 1?')).answer);";
  writeFileSync(
    file,
    `import { defineAgent } from '${library}';\n${swap(code, 'openai:gpt-5-mini,reasoning=low', script)}${ask}`,
  );
  expect(await run(file)).toEqual({ stdout: 'It is 2.\n', stderr: '' });
});

test('the policy in SECURITY.md is one that an agent takes', async () => {
  const [example] = blocksOf(read('SECURITY.md'));
  const library = new URL('../../src/index.ts', import.meta.url).href;
  const file = join(folder, 'policy.mts');
  writeFileSync(
    file,
    `${swap(example!.code, "'assay'", `'${library}'`)}\nconsole.log(agent.options.policy?.rules?.length);`,
  );
  expect(await run(file)).toEqual({ stdout: '4\n', stderr: '' });
});

test('the example of the price desk runs', async () => {
  const { stdout, stderr } = await run(join(sample, 'agent.ts'));
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^revised: The total is 4,386\.00 euros/m);
});

test('every command in the tables of the README exists, and so does every option that it names', async () => {
  const cells = rowsOf(readme).map(([first = '']) => first);
  const named = cells.filter((cell) => cell.includes('`assay ')).flatMap(codesOf);
  const commands = named.map((code) => code.replace(/^assay /, '').split(' ')[0]!);
  expect(commands).toEqual(expect.arrayContaining(['run', 'demo', 'resume', 'approve', 'lessons', 'doctor']));
  await inDesk(async (assay) => {
    const help = (await assay('--help')).stdout;
    for (const command of commands) expect(help).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    const helped = await Promise.all(
      ['run', 'eval', 'triage', 'doctor', 'models', 'serve', 'show'].map((name) => assay(name, '--help')),
    );
    const helps = [help, ...helped.map(({ stdout }) => stdout)].join('\n');
    const options = codesOf(readme).flatMap((code) => code.match(/^--[a-z-]+/) ?? []);
    expect(options).toContain('--model');
    for (const option of options) expect(helps).toContain(option);
  });
});

test('every relative link in a document leads to a file', () => {
  const skipped = /(^|\/)(node_modules|dist|coverage|\.[^/]+)$/;
  const documents = globSync('**/*.md', { cwd: root, exclude: (path) => skipped.test(path) });
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md']));
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ document, link })),
  );
  const relative = links.filter(({ link }) => !/^([a-z]+:|#)/.test(link));
  expect(relative.length).toBeGreaterThan(2);
  const broken = relative.filter(
    ({ document, link }) => !existsSync(resolve(root, dirname(document), decodeURI(link.replace(/#.*$/, '')))),
  );
  expect(broken).toEqual([]);
});

test('the Chinese README shows the same code and tables of the same length', () => {
  const chinese = read('README.zh-CN.md');
  expect(blocksOf(chinese).map(({ language }) => language)).toEqual(blocksOf(readme).map(({ language }) => language));
  expect(programsOf(chinese)).toEqual(programsOf(readme));
  expect(rowsOf(chinese).map((row) => row.length)).toEqual(rowsOf(readme).map((row) => row.length));
});

/** The code that runs, without its comments; what a run prints may be shown in another language. */
function programsOf(markdown: string): string[] {
  const programs = blocksOf(markdown).filter(({ language }) => language !== 'text');
  return programs.map(({ code }) => code.replace(/\s+(\/\/|#) .*$/gm, ''));
}
