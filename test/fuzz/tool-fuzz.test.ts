import { spawnSync } from 'node:child_process';
import { appendFileSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Tool, type ToolOptions, tool } from '../../src/tools/tool.ts';
import { runTarget } from './run-target.ts';
import type { Scene } from './scene.ts';
import type { Target } from './target.ts';
import { targets } from './targets.ts';

const seed = 20_310_512;
const cheap = targets.filter(({ executed }) => executed === undefined);

describe('the built-in tools', () => {
  it.each(cheap.map((target) => [target.name, target] as const))('%s hold against hostile calls', async (_, target) => {
    const reports = await runTarget(target, { runs: 200, seed });
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports) {
      expect(report.violation, report.tool).toBeUndefined();
      expect(report.valid / report.runs, report.tool).toBeGreaterThan(0.6);
    }
  });
});

interface Broken extends Pick<Partial<ToolOptions<z.ZodObject>>, 'touches'> {
  run(args: { n: number }, scene: Scene): unknown;
}

/** A target with one tool that is broken for some of its arguments. */
function broken({ run, ...rest }: Broken): Target {
  const make = (scene: Scene) => {
    const made: Tool = tool({
      name: 'broken',
      description: 'Is broken.',
      input: z.object({ n: z.int().min(0).max(3) }),
      effect: 'write',
      ...rest,
      run: (args) => run(args as { n: number }, scene),
    });
    return { tools: [made], dictionary: {} };
  };
  return { name: 'broken', limitMs: 300, make };
}

const faults: [what: string, found: RegExp, tool: Broken][] = [
  [
    'writes beside its folder',
    /^escape: outside/,
    { run: (_, { decoy }) => appendFileSync(path.join(decoy, 'new.txt'), 'x') },
  ],
  ['writes where the program stands', /^escape: outside/, { run: () => appendFileSync('new.txt', 'x') }],
  [
    'reads the decoy',
    /^leak: a secret/,
    { run: (_, { decoy }) => readFileSync(path.join(decoy, 'secret.txt'), 'utf8') },
  ],
  ['never ends', /^hang: no result/, { run: () => new Promise(() => {}) }],
  [
    'keeps the thread busy',
    /^hang: (?:it took|no result)/,
    {
      run: () => {
        for (const end = Date.now() + 400; Date.now() < end; );
      },
    },
  ],
  [
    'throws where nobody catches',
    /^throw: touches threw/,
    {
      run: () => '',
      touches: () => {
        throw new Error('out');
      },
    },
  ],
  ['tells rules no real path', /^touches: x is not absolute/, { run: () => '', touches: () => ({ paths: ['x'] }) }],
  [
    'connects to somewhere',
    /^network: 192\.0\.2\.1/,
    {
      run: () => {
        connect(80, '192.0.2.1').on('error', () => undefined);
      },
    },
  ],
  ['answers without end', /^outcome: 300000 characters/, { run: () => 'x'.repeat(300_000) }],
  [
    'leaves files open',
    /^handles: \d+ more/,
    {
      run: (_, { root }) => {
        for (let n = 0; n < 10; n++) openSync(root, 'r');
      },
    },
  ],
  [
    'changes all objects',
    /^pollution/,
    {
      run: ({ n }) => {
        Object.assign(Object.prototype, { polluted: n });
      },
    },
  ],
];

/** A program of its own, in this folder: what it does must not reach the process of the tests. */
function program(code: string) {
  return spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 15_000,
  });
}

describe('the harness', () => {
  it.each(faults)('finds a tool that %s', async (_, found, fault) => {
    // Only for one of its arguments: it has to be looked for.
    const hidden: Broken = { ...fault, run: (args, scene) => (args.n === 2 ? fault.run(args, scene) : 'fine') };
    const [report] = await runTarget(broken(hidden), { runs: 100, seed });
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(report?.violation).toMatch(found);
    expect(report?.violation).toMatch(/again with: --seed \d+/);
  });

  it('finds nothing in a tool that only fails', async () => {
    const failing: Broken = { run: ({ n }) => (n > 1 ? Promise.reject(new Error('no')) : `${n}`) };
    const [report] = await runTarget(broken(failing), { runs: 100, seed });
    expect(report?.violation).toBeUndefined();
    expect(report?.outcomes.ok).toBeGreaterThan(0);
    expect(report?.outcomes.error).toBeGreaterThan(0);
  });

  it('finds what goes wrong outside of any call', () => {
    const ended = program(`
      import * as z from 'zod';
      import { tool } from '../../src/tools/tool.ts';
      import { runTarget } from './run-target.ts';
      const run = () => { Promise.reject(new Error('adrift')); return ''; };
      const broken = tool({ name: 'broken', description: 'x', input: z.object({}), effect: 'read', run });
      const target = { name: 'broken', limitMs: 5_000, make: () => ({ tools: [broken], dictionary: {} }) };
      const [report] = await runTarget(target, { runs: 20, seed: 1 });
      console.log(report.violation);`);
    expect(ended.stdout).toMatch(/^unhandled: Error: adrift/);
  });

  it('ends a process whose thread is never free again, and says with which arguments', () => {
    const ended = program(`
      import { startWatchdog } from './watchdog.ts';
      const { watch } = startWatchdog(500);
      setTimeout(() => { watch('{"good":1}'); watch(undefined); watch('{"bad":1}'); for (;;); }, 600);
      setTimeout(() => undefined, 60_000);`);
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.stderr).toMatch(/hang: .*\n.*bad/);
  });

  it('says of every tool what it found, and ends with the count', () => {
    const args = ['tool-fuzz.ts', '--runs', '30', '--seed', '3', '--tool', 'calculator'];
    const ended = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8', timeout: 15_000 });
    expect(ended.stdout).toMatch(
      /^calculator +30 runs, \d+ % valid, ok \d+ error \d+ denied 0 .*0 violations\n1 passed, 0 failed\n$/m,
    );
    expect(ended.status).toBe(0);
  });
});
