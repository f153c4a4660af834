import * as vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { runProcess } from './run-process.ts';
import { bareRealm } from './sandbox-worker.ts';

describe('bareRealm', () => {
  const realm = bareRealm();
  const inRealm = (code: string): unknown => vm.runInContext(code, realm);

  it.each(['process', 'require', 'fetch', 'WebSocket', 'setTimeout', 'Buffer', 'queueMicrotask', 'module'])(
    'has no %s',
    (name) => expect(inRealm(`typeof ${name}`)).toBe('undefined'),
  );

  it.each([
    'this.constructor.constructor("return 1")()',
    'eval("1")',
    'new Function("return 1")()',
    '(function* () {}).constructor("yield 1")().next()',
    '(async () => {}).constructor("return 1")()',
    'Reflect.construct(Function, ["return 1"])()',
  ])('makes no code from text: %s', (code) => expect(() => inRealm(code)).toThrow(/Code generation from strings/));

  it.each(['node:fs', 'node:net', 'data:text/javascript,export default 1', './sandbox-worker.ts'])(
    'imports nothing: %s',
    async (name) => await expect(inRealm(`import(${JSON.stringify(name)})`)).rejects.toThrow(),
  );
});

describe('closeRealm', () => {
  it('takes away what the language does not have, freezes the rest, and leaves the report possible', async () => {
    const module = new URL('sandbox-worker.ts', import.meta.url).href;
    const code = `
      import { closeRealm, readRequest, tellReady, tellReport } from '${module}';
      readRequest();
      closeRealm();
      tellReady();
      const left = ['process', 'fetch', 'Buffer', 'WebSocket', 'setTimeout', 'structuredClone'].filter((name) => name in globalThis);
      try { Object.prototype.polluted = 1; } catch {}
      try { Array.prototype.map = () => 1; } catch {}
      const changed = [({}).polluted, [1].map((n) => n + 1)[0] === 2];
      tellReport({ error: false, result: JSON.stringify([left, changed]) });`;
    const end = await runProcess({
      program: process.execPath,
      args: ['--no-warnings', '--input-type=module', '--eval', code],
      control: { request: '{}', startupMs: 10_000, maxBytes: 10_000 },
      timeoutMs: 10_000,
      maxOutputBytes: 10_000,
    });
    expect(end.stderr.toString()).toBe('');
    const report = JSON.parse(end.report.toString()) as { result: string };
    expect(JSON.parse(report.result)).toEqual([[], [null, true]]);
  });
});
