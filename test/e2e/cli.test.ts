import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk, fieldOf, noteConfig, noteScript, sumScript } from './cli-process.ts';

/** One desk for the file: the tests follow one user through an afternoon. */
let desk: Desk;
const quick = ['--model', 'script:sum.json', '--layers', 'verify'];

beforeAll(() => {
  desk = new Desk();
  desk.write('sum.json', {
    rules: [
      ...sumScript().rules,
      { when: { role: 'questions' }, reply: '{"questions":[{"question":"What is 6 * 7?","claim":1}]}' },
      { when: { role: 'answers' }, reply: '{"answer":"42"}' },
      { when: { role: 'verdict' }, reply: '{"verdict":"pass","issues":[],"needsMoreTools":false}' },
    ],
  });
});

afterAll(() => desk.remove());

test('help and version answer at once, name every command, and exit 0', async () => {
  const [help, version, none] = await Promise.all([desk.assay(['--help']), desk.assay(['--version']), desk.assay([])]);
  for (const name of [
    'run',
    'demo',
    'resume',
    'approve',
    'deny',
    'runs',
    'show',
    'lessons',
    'models',
    'init',
    'doctor',
  ])
    expect(help.stdout).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
  expect(help.code).toBe(0);
  expect(none).toMatchObject({ code: 0, stdout: help.stdout });
  expect(version.stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
  expect(existsSync(join(desk.folder, '.assay'))).toBe(false);
});

test('run shows the way on stderr and the answer with its evidence on stdout', async () => {
  const { code, stdout, stderr } = await desk.assay(['run', 'What is six times seven?', ...quick, '--run-id', 'first']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^It is 42\.\n/);
  expect(stdout).toContain('obs-1: "6 * 7 = 42"');
  expect(stdout).toContain('completed: the answer passed its checks');
  expect(stderr).toMatch(/model +script:.*sum\.json \(you named it\)/);
  expect(stderr).toMatch(/→ obs-1 calculator expression: "6 \* 7"/);
  expect(stderr).toMatch(/checks +pass/);
  expect(stdout + stderr).not.toMatch(/\x1b|ExperimentalWarning/);
});

test('FORCE_COLOR colours a pipe and still moves no cursor, NO_COLOR does neither', async () => {
  const [forced, plain] = await Promise.all([
    desk.assay(['show', 'first'], { env: { FORCE_COLOR: '1' } }),
    desk.assay(['show', 'first'], { env: { NO_COLOR: '1' } }),
  ]);
  expect(forced.stdout).toContain('\x1b[');
  expect(forced.stdout).not.toMatch(/\x1b\[[^m]*[A-HJKSTf]|\r/);
  expect(plain.stdout).not.toContain('\x1b');
  expect(plain.stdout).toContain('It is 42.');
  expect(plain.stdout).toMatch(/journal +\d+ entries/);
});

test('the task comes from standard input, constraints and events go where they should', async () => {
  const args = ['run', '-', ...quick, '--constraint', 'in euros', '--constraint', 'no tax', '--events', 'events.jsonl'];
  const { code } = await desk.assay([...args, '--run-id', 'second'], { input: 'six by seven\n' });
  expect(code).toBe(0);
  const { value } = await desk.json(['show', 'second']);
  expect(value).toMatchObject({ input: { task: { input: 'six by seven', constraints: ['in euros', 'no tax'] } } });
  const lines = readFileSync(join(desk.folder, 'events.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(
    expect.arrayContaining(['run.start', 'tool.result', 'run.end']),
  );
});

test('with --json every command prints one JSON value on stdout and nothing else', async () => {
  const run = await desk.json(['run', 'six times seven', ...quick, '--run-id', 'third']);
  expect(run).toMatchObject({
    code: 0,
    stderr: '',
    value: { runId: 'third', status: 'completed', answer: 'It is 42.' },
  });
  const [runs, show, answer, events, again, lessons, models, doctor] = await Promise.all([
    desk.json(['runs', '--limit', '2']),
    desk.json(['show', 'third']),
    desk.json(['show', 'third', '--answer']),
    desk.assay(['show', 'third', '--events', '--json']),
    desk.json(['resume', 'third']),
    desk.json(['lessons']),
    desk.json(['models']),
    desk.json(['doctor']),
  ]);
  expect(fieldOf(runs.value, 'id')).toEqual(['third', 'second']);
  expect(show.value).toMatchObject({ id: 'third', state: 'completed', result: { answer: 'It is 42.' } });
  expect(answer.value).toEqual({ run: 'third', answer: 'It is 42.' });
  for (const line of events.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
  expect(again).toMatchObject({ code: 0, value: { answer: 'It is 42.' } });
  expect(lessons.value).toEqual([]);
  expect(models.value).toHaveProperty('vendors');
  expect(fieldOf(Reflect.get(Object(doctor.value), 'findings'), 'what')).toContain('journal');
});

test('runs lists newest first and filters by state; show takes the start of an id or last', async () => {
  const [all, failed, last] = await Promise.all([
    desk.assay(['runs']),
    desk.assay(['runs', '--state', 'failed', '--json']),
    desk.assay(['show', 'last', '--answer']),
  ]);
  expect(
    all.stdout
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split(' ')[0]),
  ).toEqual(['third', 'second', 'first']);
  expect(JSON.parse(failed.stdout)).toEqual([]);
  expect(last.stdout).toBe('It is 42.\n');
});

test('a run that a limit stopped goes on with more', async () => {
  const args = ['run', 'six times seven', '--model', 'script:sum.json', '--layers', 'none', '--max-steps', '1'];
  const stopped = await desk.json([...args, '--run-id', 'short']);
  expect(stopped).toMatchObject({ code: 3, value: { status: 'stopped', reason: { code: 'steps' } } });
  const more = await desk.json(['resume', 'short', '--max-steps', '5']);
  expect(more.value).toMatchObject({ status: 'needs_more_evidence', attempt: { degraded: false } });
  expect(more.value).not.toMatchObject({ runId: 'short' });
  const refused = await desk.assay(['resume', 'first', '--budget-tokens', '5000']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to extend') });
});

test('demo tells that the model is scripted, runs, and recalls the lesson in the second run', async () => {
  const { code, stdout, stderr } = await desk.assay(['demo']);
  expect(stderr.split('\n')[0]).toMatch(/scripted.*tools, checks, journal and memory are real/);
  expect(stderr).toMatch(/lesson +kept:/);
  expect(stderr).toMatch(/lessons +1 recalled/);
  expect(stdout).toContain('4,386.00');
  expect(code).toBe(0);
  const again = await desk.json(['demo', '--lang', 'zh', '--once']);
  expect(again.value).toMatchObject({ scripted: true, runs: [{ status: 'revised' }] });
});

test('lessons are listed, shown, carried to another home, expired and forgotten', async () => {
  const listed = await desk.json(['lessons', 'list', '--scope', 'demo-en']);
  const id = String(fieldOf(listed.value, 'id')[0]);
  const [shown, exported] = await Promise.all([
    desk.assay(['lessons', 'show', id.slice(0, 8)]),
    desk.assay(['lessons', 'export', 'lessons.jsonl']),
  ]);
  expect(shown.stdout).toContain(id);
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 lessons written/) });
  const other = ['--home', join(desk.folder, 'other')];
  expect((await desk.json(['lessons', 'import', 'lessons.jsonl', ...other])).value).toEqual({ added: 2, known: 0 });
  expect((await desk.json(['lessons', 'import', 'lessons.jsonl', ...other])).value).toEqual({ added: 0, known: 2 });
  expect((await desk.assay(['lessons', 'expire', id, ...other])).code).toBe(0);
  expect((await desk.assay(['lessons', 'forget', id])).code).toBe(0);
  const gone = await desk.json(['lessons', 'list', '--scope', 'demo-en']);
  expect(gone.value).toEqual([]);
});

test('init writes a config that loads, and never over one that is there', async () => {
  const place = new Desk();
  try {
    expect(await place.assay(['init'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Next:') });
    expect(await place.assay(['init'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    place.write('sum.json', sumScript());
    const args = ['run', 'six times seven', '--model', 'script:sum.json', '--layers', 'none'];
    expect(await place.assay(args)).toMatchObject({ code: 4, stdout: expect.stringMatching(/^It is 42\./) });
    const doctor = await place.json(['doctor']);
    expect(doctor.code).toBe(1);
    const findings = Reflect.get(Object(doctor.value), 'findings');
    expect(findings).toContainEqual(expect.objectContaining({ what: 'config', ok: true }));
    expect(findings).toContainEqual(expect.objectContaining({ what: 'model', ok: false }));
  } finally {
    place.remove();
  }
});

test('models tells why a model is chosen and never shows a key', async () => {
  const secret = 'sk-test-0123456789abcdef';
  const { stdout } = await desk.assay(['models'], { env: { OPENAI_API_KEY: secret } });
  expect(stdout).toMatch(/model +openai:\S+ \(OPENAI_API_KEY is set\)/);
  expect(stdout).toMatch(/ANTHROPIC_API_KEY$/m);
  expect(stdout).toMatch(/prices +list prices as of \d{4}-\d{2}/);
  expect(stdout).not.toContain(secret);
});

test('a waiting effect ends with 5 and goes on with approve, call by call', async () => {
  desk.write('assay.config.ts', noteConfig);
  desk.write('notes.json', noteScript);
  const waiting = await desk.assay(['run', 'note two things', '--run-id', 'notes']);
  expect(waiting.code).toBe(5);
  expect(waiting.stdout).toContain('approve notes');
  const which = await desk.assay(['approve', 'notes']);
  expect(which).toMatchObject({ code: 2, stderr: expect.stringMatching(/1\. writeNote[\s\S]*"sell lamps"/) });
  const one = await desk.assay(['approve', 'notes', '1', '--no-resume']);
  expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('resume notes') });
  const two = await desk.assay(['approve', 'notes', '2']);
  expect(two).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Noted\./) });
  expect(readFileSync(join(desk.folder, 'notes.txt'), 'utf8')).toBe('buy rope\nsell lamps\n');
});

test('a denied effect does not happen and the model is told why', async () => {
  await desk.assay(['run', 'note two things', '--run-id', 'denied']);
  const denied = await desk.json(['deny', 'denied', '--all', '--reason', 'not on a Monday']);
  // A refusal is no evidence, so the answer stands unverified.
  expect(denied).toMatchObject({ code: 4, value: { answer: 'It was refused.' } });
  expect(readFileSync(join(desk.folder, 'notes.txt'), 'utf8')).toBe('buy rope\nsell lamps\n');
  const late = await desk.assay(['approve', 'denied']);
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('No call') });
});

test('--yes write allows it from the start', async () => {
  const { code } = await desk.assay(['run', 'note two things', '--yes', 'write']);
  expect(code).toBe(0);
  expect(readFileSync(join(desk.folder, 'notes.txt'), 'utf8').split('\n')).toHaveLength(5);
});
