import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { exportCoh, exportDpo, exportSft } from './export-data.ts';
import type { ExportRun } from './export-run.ts';
import { runWith, verdict } from './sample-run.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const to = (): { folder: string; source: string } => ({ folder, source: 'the runs of a test' });

interface Row {
  messages: { role: string; content: string }[];
  rejected: { content: string }[];
}

function rows(split = 'train'): Row[] {
  const text = readFileSync(join(folder, `${split}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const card = (): string => readFileSync(join(folder, 'data-card.md'), 'utf8');

/** A task with a right and a wrong answer. */
function task(name: string, change: Partial<ExportRun> = {}): ExportRun[] {
  const shared = { taskKey: name, input: `What is in bay ${name}?`, ...change };
  return [
    runWith({ ...shared, runId: `${name}-1`, answer: `Bay ${name} holds timber.` }),
    runWith({ ...shared, runId: `${name}-2`, answer: `Bay ${name} holds gravel.`, verdict: verdict(false) }),
  ];
}

describe('which runs are used', () => {
  const refused: [string, string, Partial<ExportRun>][] = [
    ['nobody judged', 'not-judged', { verdict: undefined }],
    ['only the model itself judged', 'self-judged', { verdict: verdict(true, { knows: 'self' }) }],
    ['only another model judged', 'model-judged', { verdict: verdict(true, { knows: 'another-model' }) }],
    ['a limit forced', 'degraded', { degraded: true }],
    ['rests on what a human made up', 'edited', { edited: true }],
    ['a scripted model wrote', 'simulated', { models: [{ id: 'script', source: 'scripted' }] }],
    ['a replayed model wrote', 'simulated', { models: [{ id: 'recording', source: 'replayed' }] }],
    ['a model of unknown make wrote', 'unknown-model', { models: [{ id: 'm', source: 'unknown' }] }],
    ['did not pass', 'failed', { verdict: verdict(false) }],
  ];
  it.each(refused)('leaves out an answer that %s, and counts it', async (_what, reason, change) => {
    const summary = await exportSft([runWith({ runId: 'good' }), runWith({ runId: 'other', ...change })], to());
    expect(rows()).toHaveLength(1);
    expect(summary).toMatchObject({ runs: 2, used: 1, dropped: { [reason]: 1 } });
  });

  it('says what was left out when nothing is left', async () => {
    const nothing = exportSft([runWith({ verdict: undefined })], to());
    await expect(nothing).rejects.toThrow(/No row could be made of 1 runs.*1: nobody judged the answer/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes model-judged answers on request and marks them in the card', async () => {
    const judged = verdict(true, { knows: 'another-model' });
    await exportSft([runWith({ verdict: judged })], { ...to(), allowModelJudged: true });
    expect(card()).toContain('**1 of them rest on the opinion of a model**');
  });

  it('takes simulated models on request and marks them in the card', async () => {
    await exportSft([runWith({ models: [{ id: 'desk.json', source: 'scripted' }] })], {
      ...to(),
      includeSimulated: true,
    });
    expect(card()).toContain('**Simulated or unknown models wrote answers here** (desk.json (scripted))');
  });

  it.each(['GSM8K', 'tau-bench airline', 'my_hotpotqa_dev'])('refuses the public test set %s', async (suite) => {
    await expect(exportSft([runWith({ suite })], to())).rejects.toThrow(UsageError);
    await exportSft([runWith({ suite })], { ...to(), allowTestSets: true });
    expect(card()).toContain('can no longer be measured');
  });

  it('takes a suite whose name only resembles one of a test set', async () => {
    await exportSft([runWith({ suite: 'aquarium math homework' })], to());
    expect(rows()).toHaveLength(1);
  });

  it('refuses runs that are not sorted by task', async () => {
    const runs = [...task('A'), ...task('B'), ...task('A')];
    await expect(exportSft(runs, to())).rejects.toThrow(/sort the runs by their taskKey/);
  });

  it('writes no more of one task than it may, and no row twice', async () => {
    const runs = ['one', 'two', 'two', 'three', 'four'].map((answer, at) => runWith({ runId: `r${at}`, answer }));
    const summary = await exportSft(runs, { ...to(), perTask: 3 });
    expect(rows()).toHaveLength(3);
    expect(summary.dropped).toMatchObject({ duplicate: 1, 'over-limit': 1 });
  });

  it('can leave out answers whose tool results are not in the row, and counts them otherwise', async () => {
    const runs = [
      runWith({ runId: 'a', answer: 'plain' }),
      runWith({ runId: 'b', answer: 'looked up', usedTools: true }),
    ];
    expect((await exportSft(runs, to())).unseenEvidence).toBe(1);
    expect(card()).toContain('1 examples hold answers that rest on tool results');
    await exportSft(runs, { ...to(), toolAnswers: 'drop' });
    expect(rows()).toHaveLength(1);
  });
});

describe('the files', () => {
  it('are whole, private, and have the hash that the card names', async () => {
    const summary = await exportSft([runWith()], to());
    const [file] = summary.files;
    const bytes = readFileSync(file!.path);
    expect(statSync(file!.path).mode & 0o777).toBe(0o600);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file!.sha256);
    expect(file!.bytes).toBe(bytes.length);
    expect(card()).toContain(file!.sha256);
    expect(readdirSync(folder).sort()).toEqual(['data-card.md', 'train.jsonl']);
  });

  it('leave an earlier export as it was when a new one fails', async () => {
    await exportSft([runWith()], to());
    const before = readFileSync(join(folder, 'train.jsonl'), 'utf8');
    async function* broken(): AsyncGenerator<ExportRun> {
      yield runWith({ answer: 'another' });
      throw new Error('the disk went away');
    }
    await expect(exportSft(broken(), to())).rejects.toThrow('the disk went away');
    expect(readFileSync(join(folder, 'train.jsonl'), 'utf8')).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['data-card.md', 'train.jsonl']);
  });

  it('leave no validation file of an earlier export beside them', async () => {
    writeFileSync(join(folder, 'validation.jsonl'), 'old');
    await exportSft([runWith()], to());
    expect(readdirSync(folder)).not.toContain('validation.jsonl');
  });

  it('keep a task, and a question that two tasks ask, in one split', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `t${at}`);
    // Each question is asked by two tasks.
    const runs = names.map((name, at) =>
      runWith({ runId: name, taskKey: name, input: `Question ${at % 30}?`, answer: `Answer of ${name}` }),
    );
    const summary = await exportSft(runs, { ...to(), validation: 0.4, seed: 'x' });
    const asked = (split: string): string[] => rows(split).map((row) => row.messages[0]!.content);
    const inBoth = asked('train').filter((question) => asked('validation').includes(question));
    expect(inBoth).toEqual([]);
    expect(asked('train').length).toBeGreaterThan(10);
    expect(asked('validation').length).toBeGreaterThan(10);
    const again = await exportSft(runs, { ...to(), validation: 0.4, seed: 'x' });
    expect(again.files.map(({ sha256 }) => sha256)).toEqual(summary.files.map(({ sha256 }) => sha256));
  });

  it('hold no secret and, on request, no email address and no phone number', async () => {
    const secret = `sk-${'a1'.repeat(12)}`;
    const answer = `Use ${secret}; write to mara.lind@depot.example or call +44 20 7946 0018. Bay 2024-05-17 holds 1234567890 nails.`;
    await exportSft([runWith({ answer })], { ...to(), redactPersonal: true });
    expect(rows()[0]!.messages[1]!.content).toBe(
      'Use [redacted:api-key]; write to [redacted:email] or call [redacted:phone]. Bay 2024-05-17 holds 1234567890 nails.',
    );
  });
});

describe('preference pairs', () => {
  it('are an answer that passed and one that did not, in each documented shape', async () => {
    await exportDpo(task('A'), to());
    const prompt = [{ role: 'user', content: 'What is in bay A?' }];
    const right = [{ role: 'assistant', content: 'Bay A holds timber.' }];
    const wrong = [{ role: 'assistant', content: 'Bay A holds gravel.' }];
    expect(rows()).toEqual([{ prompt, chosen: right, rejected: wrong }]);
    await exportDpo(task('A'), { ...to(), shape: 'openai' });
    expect(rows()).toEqual([
      {
        input: { messages: prompt, tools: [], parallel_tool_calls: true },
        preferred_output: right,
        non_preferred_output: wrong,
      },
    ]);
    await exportDpo(task('A'), { ...to(), shape: 'trl-text' });
    expect(rows()).toEqual([
      { prompt: 'What is in bay A?', chosen: 'Bay A holds timber.', rejected: 'Bay A holds gravel.' },
    ]);
  });

  it('come from drafts of one run as well', async () => {
    const versions = [{ answer: 'Ten crates fit.', verdict: verdict(false) }];
    await exportDpo([runWith({ versions })], to());
    expect(rows()[0]!.rejected[0]!.content).toBe('Ten crates fit.');
  });

  it('use no answer that nobody judged', async () => {
    const runs = [...task('A'), ...task('B').map((run) => ({ ...run, verdict: undefined }))];
    await exportDpo(runs, to());
    expect(rows()).toHaveLength(1);
  });

  it('are not made across different questions of one task', async () => {
    const [right] = task('A');
    const [, wrong] = task('A', { task: { input: 'Another question', constraints: [], checks: [] } });
    await expect(exportDpo([right!, wrong!], to())).rejects.toThrow(/no other answer to the same question/);
  });

  it('keep the margin', async () => {
    const [right, wrong] = task('A');
    const near = { ...wrong!, verdict: verdict(false, { score: 0.8 }) };
    await expect(exportDpo([right!, near], { ...to(), margin: 0.5 })).rejects.toThrow(UsageError);
    await exportDpo([right!, near], { ...to(), margin: 0.1 });
    expect(rows()).toHaveLength(1);
  });

  it('have their lengths in the card', async () => {
    const [right, wrong] = task('A');
    const { lengths } = await exportDpo(
      [
        { ...right!, answer: 'a'.repeat(30) },
        { ...wrong!, answer: 'b'.repeat(10) },
      ],
      to(),
    );
    expect(lengths).toEqual({ pairs: 1, meanChosen: 30, meanRejected: 10, chosenLonger: 1 });
    expect(card()).toContain('the chosen one is longer in 100 % of the pairs');
  });
});

describe('chains of hindsight', () => {
  it('hold both answers, each behind its phrase, and a loss on the answers alone', async () => {
    await exportCoh(task('A'), {
      ...to(),
      phrases: 'absolute',
      english: { positive: ['Right:'], negative: ['Wrong:'] },
    });
    expect(rows()).toEqual([
      {
        segments: [
          { text: 'What is in bay A?\nWrong: ', loss: false },
          { text: 'Bay A holds gravel.', loss: true },
          { text: '\nRight: ', loss: false },
          { text: 'Bay A holds timber.', loss: true },
        ],
      },
    ]);
  });

  it('refuse a random mask without a tokenizer', async () => {
    await expect(async () => exportCoh(task('A'), { ...to(), maskPast: 0.05 })).rejects.toThrow(/give `tokenize`/);
  });
});
