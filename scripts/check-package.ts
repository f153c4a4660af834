/**
 * Installs the package as a user does (packed, into an empty folder, with an empty home) and tries the command, the library, the
 * types and the export map with plain Node: the project's own and the oldest that `engines` allows.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mostPackages = 40;
const mostBytes = 45_000_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: { version: string; engines: { node: string } } = json(join(root, 'package.json'));
const oldest = `${manifest.engines.node.replace('>=', '')}.0`;

/** What is passed on to npm; nothing else of the user's environment or of the surrounding `npm run`. */
const passedOn =
  /^(TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cafile)|(https?|no|all)_proxy)$/i;
const connection = Object.entries(process.env).filter(([name]) => passedOn.test(name));

function json<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function say(text: string): void {
  console.log(`check:package: ${text}`);
}

interface Place {
  cwd: string;
  home: string;
  /** The folder whose `node` is used; by default that of the process. */
  node?: string;
}

function environment({ home, node = dirname(process.execPath) }: Place): NodeJS.ProcessEnv {
  const path = [node, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  return {
    ...Object.fromEntries(connection),
    PATH: path,
    HOME: home,
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
  };
}

/** Runs a program that has to succeed and say nothing of experiments; gives its standard output. */
function run(command: string, args: readonly string[], place: Place): string {
  const options = { cwd: place.cwd, env: environment(place), encoding: 'utf8', timeout: 120_000 } as const;
  const ended = spawnSync(command, args, options);
  const shown = [command, ...args].join(' ');
  if (ended.error) throw new Error(`${shown}: ${ended.error.message}`);
  const { status, signal, stdout, stderr } = ended;
  if (status !== 0) throw new Error(`${shown} ended with ${status ?? signal}:\n${stdout}${stderr}`);
  if (/(Experimental|Deprecation)Warning/.test(stderr)) throw new Error(`${shown} warned:\n${stderr}`);
  return stdout;
}

function npm(args: readonly string[], place: Place): string {
  const script = process.env['npm_execpath'];
  return script ? run(process.execPath, [script, ...args], place) : run('npm', args, place);
}

/** The folder's packages as npm recorded them, and the size of all files. */
function checkSize(folder: string): void {
  const modules = join(folder, 'node_modules');
  const { packages } = json<{ packages: object }>(join(modules, '.package-lock.json'));
  const count = Object.keys(packages).length;
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  const bytes = files.map((file) => lstatSync(join(modules, file))).reduce((sum, { size }) => sum + size, 0);
  say(`${count} packages, ${(bytes / 1e6).toFixed(1)} MB installed`);
  assert.ok(count <= mostPackages, `more than ${mostPackages} packages`);
  assert.ok(bytes <= mostBytes, `more than ${mostBytes / 1e6} MB`);
}

/** The library example of the README, with the sample's script and documents if it is to be run. */
function example(sample?: string): string {
  const code = readFileSync(join(root, 'README.md'), 'utf8').match(/^```ts\n(.*?)^```$/ms)?.[1];
  assert.ok(code, 'README.md has no example in TypeScript');
  if (sample === undefined) return code;
  const script = `  model: 'script:${join(sample, 'script.json')}',`;
  return code.replace(/^ {2}model: .*$/m, script).replace('./docs', join(sample, 'docs/en'));
}

/** The example and the other entries, under the project's own strict settings, against the installed declarations. */
function checkTypes(folder: string, home: string): void {
  const { compilerOptions } = json<{ compilerOptions: object }>(join(root, 'tsconfig.json'));
  const own = { skipLibCheck: false, isolatedDeclarations: false, typeRoots: [join(root, 'node_modules/@types')] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, ...own },
      files: ['json-schema.d.ts', 'example.mts', 'testing.mts'],
    }),
  );
  // The declarations of @ai-sdk/provider import those of json-schema, and it does not depend on them.
  const stub =
    "declare module 'json-schema' { export type JSONSchema7 = object; export type JSONSchema7Definition = object }";
  writeFileSync(join(folder, 'json-schema.d.ts'), stub);
  writeFileSync(join(folder, 'example.mts'), example());
  const testing = `
    import { defineAgent, type Result } from 'assay';
    import { defineSuite, exact } from 'assay/evals';
    import { scriptedModel } from 'assay/testing';
    defineSuite({ name: 'one', tasks: [], grade: exact(), solvers: { one: { model: scriptedModel([]) } } });
    const result: Result = await defineAgent({ model: scriptedModel([]) }).run('6 * 7');
    // @ts-expect-error: the declarations are there, and strict.
    result.answer.length;`;
  writeFileSync(join(folder, 'testing.mts'), testing);
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { cwd: folder, home });
  say('a strict TypeScript program compiles against the declarations, skipLibCheck off');
}

const exportsProgram: string = `
  import assert from 'node:assert/strict';
  import manifest from 'assay/package.json' with { type: 'json' };
  assert.equal(manifest.name, 'assay');
  assert.equal(typeof (await import('assay')).defineAgent, 'function');
  assert.equal(typeof (await import('assay/testing')).scriptedModel, 'function');
  assert.equal(typeof (await import('assay/evals')).defineSuite, 'function');
  assert.match(import.meta.resolve('assay/contracts'), /contracts\\.js$/);
  assert.match(import.meta.resolve('assay/vitest'), /vitest\\.js$/);
  for (const deep of ['assay/dist/index.js', 'assay/src/index.ts', 'assay/bin/assay.js'])
    await assert.rejects(import(deep), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });`;

/** The command and the library in a work folder of their own, with the `node` of one folder and no other. */
function checkUse(installed: string, place: Place): void {
  const version = run('node', ['-p', 'process.versions.node'], place).trim();
  const bin = join(installed, 'node_modules/.bin/assay');
  const sample = join(installed, 'node_modules/assay/examples/price-desk');
  const assay = (...args: string[]): string => run(bin, args, place);

  assert.match(assay('--help'), /^Usage: assay/);
  assert.equal(assay('--version').trim(), manifest.version);
  const demo: { scripted: boolean; runs: { status: string }[] } = JSON.parse(assay('demo', '--json'));
  assert.equal(demo.scripted, true);
  for (const { status } of demo.runs) assert.match(status, /^(completed|revised)$/);
  assay('init');
  const script = ['--model', `script:${join(sample, 'script.json')}`];
  const task = 'SKU-42, 37 units at ten percent off: what is the total?';
  assert.match(assay('run', task, ...script, '--docs', join(sample, 'docs/en')), /4,386\.00/);
  assert.match(assay('runs', '--json'), /"revised"/);

  cpSync(join(root, 'examples/suites/price-desk'), join(place.cwd, 'price-desk'), { recursive: true });
  assert.match(assay('eval', 'price-desk', '--limit', '3', '--solvers', 'direct', '--report', 'r.html'), /SIMULATED/);
  assert.match(readFileSync(join(place.cwd, 'r.html'), 'utf8'), /<svg/);

  writeFileSync(join(installed, 'exports.mjs'), exportsProgram);
  run('node', [join(installed, 'exports.mjs')], place);
  writeFileSync(join(installed, 'run.mts'), example(sample));
  const quiet = '--disable-warning=ExperimentalWarning';
  const events = run('node', [quiet, join(installed, 'run.mts')], place);
  assert.match(events.slice(events.indexOf('run.end')), /^(completed|revised) The total is 4,386\.00/m);
  say(`command, exports and library work with plain Node ${version}`);
}

/** The page that the package brings, served by the installed command, with what its first view loads. */
async function checkPage(installed: string, place: Place): Promise<void> {
  const bin = join(installed, 'node_modules/.bin/assay');
  const server = spawn(bin, ['show', 'last', '--web', '--json'], {
    ...{ cwd: place.cwd, env: environment(place), stdio: ['ignore', 'pipe', 'inherit'] },
    timeout: 60_000,
  });
  try {
    const [said] = await once(server.stdout, 'data');
    const { url }: { url: string } = JSON.parse(String(said));
    const page = await fetch(url);
    assert.equal(page.status, 200, 'the page is not in the package');
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/);
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => `${url}/${path}`);
    assert.ok(loaded.length > 1, 'the page loads nothing');
    for (const address of loaded) assert.equal((await fetch(address)).status, 200, address);
    assert.doesNotMatch(html, /https?:\/\//, 'the page loads something from elsewhere');
  } finally {
    server.kill('SIGINT');
    await once(server, 'close');
  }
  assert.match(
    readFileSync(join(installed, 'node_modules/assay/dist/THIRD-PARTY-NOTICES.txt'), 'utf8'),
    /^react-dom /m,
  );
  say('the page is served by the installed command');
}

/** The folder of the oldest Node's program; undefined when it cannot be had, which only CI takes for a failure. */
function oldestNode(folder: string, home: string): string | undefined {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  try {
    npm(['install', `node@${oldest}`, '--no-audit', '--no-fund'], { cwd: folder, home });
    const bin = join(folder, 'node_modules/node/bin');
    assert.equal(run(join(bin, 'node'), ['-p', 'process.versions.node'], { cwd: folder, home }).trim(), oldest);
    return bin;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    say(`NOT TRIED with Node ${oldest}, which could not be installed: ${error}`);
    return undefined;
  }
}

async function work(temporary: string): Promise<void> {
  const folder = (name: string): string => {
    mkdirSync(join(temporary, name));
    return join(temporary, name);
  };
  const home = folder('home');
  say('building and packing');
  const packed = folder('packed');
  npm(['pack', '--pack-destination', packed, '--loglevel=error'], { cwd: root, home });
  const [tarball] = readdirSync(packed);
  assert.ok(tarball, 'npm pack made no file');

  say(`installing ${tarball} into an empty folder`);
  const installed = folder('installed');
  npm(['install', join(packed, tarball), '--no-audit', '--no-fund'], { cwd: installed, home });
  checkSize(installed);
  checkTypes(installed, home);

  const own = { cwd: folder('work-own'), home: folder('home-own') };
  checkUse(installed, own);
  await checkPage(installed, own);
  say(`installing Node ${oldest}`);
  const node = oldestNode(join(temporary, 'oldest'), home);
  if (node) checkUse(installed, { cwd: folder('work-oldest'), home: folder('home-oldest'), node });
}

const temporary = mkdtempSync(join(tmpdir(), 'assay-package-'));
try {
  await work(temporary);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
