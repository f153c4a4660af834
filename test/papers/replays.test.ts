import { describe, expect, it } from 'vitest';
import { countRight } from '../../bench/papers/cruxeval.ts';
import { replay, type Trajectory } from '../../bench/papers/fever.ts';
import { judge } from '../../bench/papers/gsm8k.ts';
import { matchText, type TrialRow, tryAgain } from '../../bench/papers/hotpot-qa.ts';
import { execute } from '../../bench/papers/human-eval.ts';
import { Tally } from '../../bench/papers/part.ts';
import { claimOf, replyTo } from '../../bench/papers/react-stage.ts';
import { describeSandbox } from '../../src/tools/builtin/run-code.ts';

const { python } = await describeSandbox();
if (!python.works) console.warn(`skipped: programs judged by their tests, because ${python.detail}`);

const search = { thought: 'I look it up.', action: 'Search[Elm]', observation: 'The Elm is a river of 12 miles.' };
const finish = (thought: string, answer: string) => ({ thought, action: `Finish[${answer}]`, observation: 'over' });

describe('a recorded ReAct step', () => {
  it('is said as an action of our protocol, and whatever was refused there as it was written', () => {
    expect(JSON.parse(replyTo(search, 0))).toMatchObject({ type: 'tool', tool: 'search', args: { entity: 'Elm' } });
    expect(JSON.parse(replyTo({ ...search, action: 'Lookup[a [b] c]' }, 1))).toMatchObject({
      args: { words: 'a [b] c' },
    });
    expect(JSON.parse(replyTo(finish('It is.', 'yes'), 1))).toMatchObject({ type: 'final', answer: 'yes' });
    expect(replyTo({ ...search, action: 'Login' }, 1)).toBe('Login');
    expect(replyTo({ ...search, action: 'Lookup[x] elsewhere' }, 1)).toBe('Lookup[x] elsewhere');
    expect(replyTo({ ...finish('', 'yes'), observation: 'Invalid action: Finish[yes]' }, 1)).toBe('Finish[yes]');
  });

  it('makes a claim that quotes, from the result read last, what stands in quotation marks', () => {
    expect(claimOf('It is "a river" and “long”.', 2)).toEqual({
      text: 'It is "a river" and “long”.',
      evidence: [
        { observation: 'obs-2', quote: 'a river' },
        { observation: 'obs-2', quote: 'long' },
      ],
    });
  });
});

describe('trajectories', () => {
  const trajectory = (id: string, gold: string, steps: Trajectory['steps']): Trajectory => ({
    ...{ id, gold, steps, claim: 'The Elm is a river.', answer: '' },
  });

  it('come to their labels, and only invented or missing quotes are flagged', async () => {
    const rows = [
      trajectory('quoted', 'SUPPORTS', [search, finish('It says "The Elm is a river".', 'SUPPORTS')]),
      trajectory('invented', 'REFUTES', [search, finish('It says "a lake of salt".', 'SUPPORTS')]),
      trajectory('unquoted', 'SUPPORTS', [search, finish('It is one.', 'SUPPORTS')]),
      trajectory('unfinished', 'SUPPORTS', [search, { ...search, action: 'Lookup[Elm]' }]),
    ];
    const tally = new Tally();
    const replayed = await replay(rows, tally);
    expect(replayed.map(({ row, right, evidence, quotes }) => [row.id, right, evidence > 0, quotes > 0])).toEqual([
      ['quoted', true, false, false],
      ['invented', false, false, true],
      ['unquoted', true, true, false],
      ['unfinished', false, true, false],
    ]);
    expect(replayed.map(({ result }) => result.status === 'completed')).toEqual([true, false, false, false]);
    expect(tally.work).toMatchObject({ runs: 4, toolCalls: 5 });
  });

  it('that turn in circles are ended by the guards of our loop', async () => {
    const circle = trajectory(
      'circle',
      'SUPPORTS',
      Array.from({ length: 7 }, () => search),
    );
    const [replayed] = await replay([circle], new Tally());
    expect(replayed?.result).toMatchObject({ usage: { toolCalls: 2 }, attempt: { ended: { limit: 'no-progress' } } });
  });
});

describe('trials', () => {
  const trial = (id: string, number: number, answer: string): TrialRow => ({
    ...{ id, trial: number, question: `Which river is ${id}?`, gold: 'the Elm' },
    reflections: Array.from({ length: number - 1 }, (_, index) => `Reflection ${index + 1}. Look again.`),
    steps: answer === '' ? [search] : [search, finish('So it is.', answer)],
  });

  it('are counted as solved from the one that matches on, each question once', async () => {
    const rows = [
      ...[trial('first', 1, 'Elm.'), trial('first', 2, 'Elm.'), trial('first', 3, 'Elm.')],
      ...[trial('later', 1, 'Oak'), trial('later', 2, ''), trial('later', 3, 'The elm')],
      ...[trial('never', 1, 'Oak'), trial('never', 2, 'Ash'), trial('never', 3, 'Yew')],
      ...[trial('gap', 1, 'Oak'), trial('gap', 3, 'Elm')],
    ];
    const tally = new Tally();
    expect(await tryAgain(rows, tally, { maxRepeats: 3 })).toEqual({ solved: [1, 1, 3], made: 10 });
    expect(tally.work.runs).toBe(4);
  });

  it('end earlier where repeated attempts are told to', async () => {
    const rows = [1, 2, 3, 4].map((number) => trial('same', number, number < 4 ? 'Oak' : 'Elm'));
    expect(await tryAgain(rows, new Tally(), { maxRepeats: 4 })).toEqual({ solved: [0, 0, 0, 1], made: 4 });
    expect(await tryAgain(rows, new Tally(), { maxRepeats: 1 })).toEqual({ solved: [0, 0, 0, 0], made: 2 });
  });

  it('match without case, punctuation and articles, and not by a part', () => {
    expect(matchText('The "Elm", an old river!')).toBe('elm old river');
    expect(matchText('theory')).toBe('theory');
  });
});

describe('answers', () => {
  it('to word problems are judged by their last number', async () => {
    const problems = new Map([['sum', { id: 'sum', task: 'What is 5 + 7?', expected: 12 }]]);
    const worked = (output: string) => ({ id: 'sum', system: 'S', output, correct: true });
    const rows = [worked('5 + 7 = 12\nA: 12'), worked('5 + 7 = 12\nA: 13'), worked('')];
    expect([...(await judge(rows, problems, new Tally()))]).toEqual([rows[0]]);
  });

  it.skipIf(!python.works)('that are programs are judged by their tests and by nothing they say', async () => {
    const task = (id: string) => ({
      ...{ id, task: `def double(x):  # ${id}\n`, meta: { entry_point: 'double' } },
      expected: 'def check(candidate):\n    assert candidate(2) == 4\n',
    });
    const solutions = Object.entries({
      right: '    return 2 * x',
      whole: '    pass\ndef double(x):\n    return x + x',
      wrong: '    return x ** 2 + 1',
      empty: '',
      exits: '    raise SystemExit(0)',
      exitsAtOnce: '    return 1\nimport sys\nprint("passed")\nsys.exit(0)',
    }).map(([id, solution]) => ({ id, solution, passes_rerun: true }));
    const tasks = new Map(solutions.map(({ id }) => [id, task(id)]));
    expect([...(await execute(solutions, tasks, new Tally()))]).toEqual(['right', 'whole']);
  });

  it.skipIf(!python.works)('that predict a literal are compared by value, each sample for itself', async () => {
    const tasks = new Map([['f', { id: 'f', task: 'f([2, 1])?', expected: '[1, 2]' }]]);
    const outputs = ['[1, 2]', '[1,2]', '[2, 1]', "'[1, 2]'", 'sorted([2, 1])', '[1, 2'];
    const rows = [{ id: 'f', outputs, correct: outputs.map(() => true) }];
    expect(await countRight(rows, tasks, new Tally())).toEqual(new Map([['f', 2]]));
  });
});
