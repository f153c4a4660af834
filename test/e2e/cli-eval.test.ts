import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Desk } from './cli-process.ts';

let desk: Desk;
beforeAll(() => {
  desk = new Desk();
});
afterAll(() => desk.remove());

const priceDesk = join(import.meta.dirname, '../../examples/suites/price-desk');
const few = ['eval', priceDesk, '--limit', '20', '--solvers', 'direct,react'];

const file = (name: string): string => join(desk.folder, name);
const read = (name: string): string => readFileSync(file(name), 'utf8');
interface Told {
  header: { suite: string; id: string; configurations: { name: string }[] };
  metrics: { configuration: string; success: { of: number } }[];
  comparisons: unknown[];
  missed: string[];
  folder: string;
}

describe('assay eval', { timeout: 60_000 }, () => {
  it('evaluates, says which models were simulated, and writes every kind of report', async () => {
    const reports = ['--report', 'r.html', '--report', 'r.md', '--junit', 'r.xml'];
    const { code, stdout, stderr } = await desk.assay([...few, ...reports]);
    expect(stderr).toContain('40 of 40');
    expect(code).toBe(0);
    expect(stdout).toContain('SIMULATED');
    expect(stdout).toMatch(/direct \(baseline\) +\d+ % \(\d+–\d+\)/);
    expect(read('r.html')).toContain('<!doctype html>');
    expect(read('r.md')).toContain('| `react`');
    expect(read('r.xml').match(/<testcase /g)).toHaveLength(40);
  });

  it('reports a stored evaluation again, and fails under a criterion that is missed', async () => {
    const { code, value } = await desk.json(['eval', 'last', '--fail-under', '99.9']);
    const { header, metrics, missed, folder } = value as Told;
    expect(code).toBe(1);
    expect(missed).toEqual([expect.stringMatching(/^success \d+(\.\d+)? %, at least 99.9 % is asked$/)]);
    expect(metrics.map(({ configuration, success }) => [configuration, success.of])).toEqual([
      ['direct', 20],
      ['react', 20],
    ]);
    expect(readdirSync(join(desk.folder, '.assay/evals', header.suite))).toContain(header.id);
    const shown = await desk.assay(['show', 'react/prices-0/1', '--home', folder, '--events']);
    expect(shown.stdout).toContain('searchDocs');
  });

  it('says what changed since an earlier evaluation', async () => {
    const before = ((await desk.json(['eval', 'last'])).value as Told).header;
    expect((await desk.assay([...few, '--fresh'])).code).toBe(0);
    const { code, stdout } = await desk.assay(['eval', 'last', '--compare', `${before.suite}/${before.id}`]);
    expect(code).toBe(0);
    expect(stdout).toContain(before.id);
    expect(stdout).toContain('react');
  });

  it('ablates, gives a verdict on each mechanism and writes the recommended configuration', async () => {
    const { code, stdout } = await desk.assay([
      'eval',
      priceDesk,
      '--limit',
      '20',
      '--ablate',
      '--write-config',
      'c.ts',
    ]);
    expect(code).toBe(0);
    for (const mechanism of ['react', 'plan', 'verification', 'refine', 'lessons', 'reflexion', 'self-consistency'])
      expect(stdout).toMatch(new RegExp(`^[✓✗?] ${mechanism}: (keep|drop|not enough data)\\. `, 'm'));
    expect(stdout).toMatch(/^recommended: /m);
    expect(read('c.ts')).toContain('export default defineAgent({');
  });

  it('evaluates a file of tasks with the agent of a config file', async () => {
    desk.write('tasks.csv', 'id,question,answer\none,What is 1 + 1?,2\ntwo,What is 2 + 2?,4\n');
    desk.write(
      'assay.config.ts',
      `import { defineAgent, react } from 'assay';
export default defineAgent({ model: () => JSON.stringify({ type: 'final', answer: '2', claims: [] }), solver: react() });
`,
    );
    const { value } = await desk.json(['eval', 'tasks.csv', '--grader', 'numeric']);
    expect((value as Told).metrics).toMatchObject([
      { configuration: 'direct', success: { count: 1, of: 2 } },
      { configuration: 'agent', success: { count: 1, of: 2 } },
    ]);
  });

  it.each([
    [['eval'], /Name a suite/],
    [['eval', 'nowhere'], /nowhere does not exist/],
    [['eval', 'sets:x.jsonl'], /gsm8k/],
    [['eval', priceDesk, '--solvers', 'none'], /It has: direct, react, full/],
    [['eval', priceDesk, '--kind', 'none'], /The kinds are: /],
    [['eval', 'last', '--report', 'r.pdf'], /\.html\) or Markdown/],
    [['triage', 'elsewhere'], /There is no evaluation 'elsewhere'/],
    [['export', 'dpo', '--shape', 'trl-completion'], /dpo has no shape/i],
  ])('%j is wrong usage, and says what would be right', async (args, message) => {
    const { code, stderr } = await desk.assay(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('assay triage', { timeout: 60_000 }, () => {
  it('labels the failures of an evaluation by layer, with what to add', async () => {
    const { code, stdout } = await desk.assay(['triage', 'price-desk', '--configuration', 'direct']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# \d+ failures? by layer$/m);
    expect(stdout).toContain('## Add first');
  });

  it('labels pasted failures', async () => {
    const failures = [
      { task: 'What does SKU-7 cost?', expected: '12.50', answer: 'It costs 99.', trace: 'searched nothing' },
      {
        question: 'Who wrote it?',
        gold: 'Ann Lee',
        answer: 'Bob',
        steps: [{ thought: 't', action: 'Search[it]', observation: 'Written by Ann Lee.' }],
      },
    ];
    desk.write('failures.jsonl', failures.map((one) => JSON.stringify(one)).join('\n'));
    const { value } = await desk.json(['triage', '--file', 'failures.jsonl']);
    expect(value).toMatchObject({ labels: [{ by: 'rule' }, { by: 'rule' }] });
  });
});

describe('assay export', { timeout: 60_000 }, () => {
  it('takes nothing from simulated models unless it is told to, and then says so on the card', async () => {
    const refused = await desk.assay(['export', 'dpo', 'price-desk']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/simulated|stand-in/i);
    const { code, stdout } = await desk.assay(['export', 'dpo', 'price-desk', '--include-simulated', '--out', 'dpo']);
    expect(stdout).toMatch(/train\.jsonl: \d+ rows?/);
    expect(code).toBe(0);
    const [row] = read('dpo/train.jsonl').split('\n');
    expect(JSON.parse(row ?? '')).toMatchObject({ chosen: expect.anything(), rejected: expect.anything() });
    expect(read('dpo/data-card.md')).toMatch(/simulated/i);
  });

  it('gives whole conversations when the suite is named', async () => {
    const { code } = await desk.assay([
      ...['export', 'sft', 'price-desk', '--include-simulated', '--out', 'sft', '--suite', priceDesk],
    ]);
    expect(code).toBe(0);
    const rows = read('sft/train.jsonl')
      .split('\n')
      .filter((line) => line !== '');
    expect(rows.some((row) => row.includes('"tool_calls"'))).toBe(true);
  });
});

describe('assay doctor', () => {
  it('asks the six questions of the config file, and fails with --live while one is open', async () => {
    const { code, stdout } = await desk.assay(['doctor', '--live']);
    expect(stdout).toContain('Before going live:');
    expect(stdout.match(/\d of 6/g)).toHaveLength(6);
    expect(stdout).toMatch(/✗ verifiers are external.*\n.*to do: assay\.config\.ts/);
    expect(code).toBe(1);
    expect(existsSync(file('.assay'))).toBe(true);
  });
});
