import { describe, expect, it } from 'vitest';
import { generatedCode } from '../../bench/faults/run-code.ts';
import type { Attempt, Observation } from '../../src/core/attempt.ts';
import {
  type ConditionRule,
  type Draft,
  type FaultName,
  faultNames,
  faultPlaces,
  flawsOf,
  type GeneratedTask,
  generatedTools,
  generateTasks,
  isOpenTo,
  taskKinds,
} from '../../src/testing/faulty-model.ts';
import type { Tool } from '../../src/tools/tool.ts';

const tasks = generateTasks({ seed: 7, count: 180, kinds: taskKinds });
const tools = new Map([...generatedTools(tasks), generatedCode()].map((tool) => [tool.name, tool]));

async function observe(tool: Tool | undefined, args: unknown, number: number): Promise<Observation> {
  if (!tool) throw new Error('the draft calls a tool that does not exist');
  const signal = new AbortController().signal;
  const output = await tool.run(tool.input.parse(args), { idempotencyKey: 'k', attempt: 1, signal });
  const content = typeof output === 'string' ? output : JSON.stringify(output);
  return { id: `obs-${number}`, path: '', tool: tool.name, args, status: 'ok', content, trust: 'untrusted' };
}

/** The attempt of an actor that does and says what the draft holds. */
async function carriedOut(draft: Draft): Promise<Pick<Attempt, 'answer' | 'claims' | 'observations'>> {
  const observations = await Promise.all(
    draft.calls.map(({ tool, args }, index) => observe(tools.get(tool), args, index + 1)),
  );
  const claims = draft.claims.map(({ text, quotes }) => ({
    text,
    evidence: quotes.map((quote) => ({
      observation: observations.find(({ content }) => content.includes(quote))?.id ?? 'obs-1',
      quote,
    })),
  }));
  return { answer: draft.answer, claims, observations };
}

function keeps(answer: string, rule: ConditionRule): boolean {
  const han = answer.match(/\p{Script=Han}/gu)?.length ?? 0;
  switch (rule.type) {
    case 'at-most-words':
      return answer.split(/\s+/).length <= rule.words;
    case 'at-most-characters':
      return answer.length <= rule.characters;
    case 'include':
      return answer.includes(rule.text);
    case 'exclude':
      return !answer.includes(rule.text);
    case 'language':
      return rule.language === 'zh' ? han > 5 : han < 5;
  }
}

describe('generated tasks', () => {
  it('are the same for the same seed and others for another', () => {
    expect(generateTasks({ seed: 7, count: 180, kinds: taskKinds })).toEqual(tasks);
    expect(generateTasks({ seed: 8, count: 180, kinds: taskKinds })).not.toEqual(tasks);
    expect(JSON.parse(JSON.stringify(tasks))).toEqual(tasks);
  });

  it('have inputs, and titles of documents, that are no other task’s', () => {
    expect(new Set(tasks.map(({ task }) => task.input)).size).toBe(tasks.length);
    const titles = tasks.flatMap(({ documents }) => documents.map(({ title }) => title));
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('are of every kind in both languages, and each fault that changes what is said has tasks', () => {
    for (const kind of taskKinds) {
      const languages = tasks.filter((task) => task.kind === kind).map(({ language }) => language);
      expect(new Set(languages)).toEqual(new Set(['en', 'zh']));
    }
    for (const fault of faultNames) expect(tasks.filter((task) => isOpenTo(task, fault)).length).toBeGreaterThan(5);
  });

  it('have a right draft without a flaw, which keeps the conditions', async () => {
    for (const task of tasks) {
      expect(flawsOf(task, await carriedOut(task.right)), task.id).toEqual([]);
      for (const rule of task.rules)
        expect(keeps(task.right.answer, rule), `${task.id} ${task.right.answer}`).toBe(true);
    }
  });

  it('have wrong drafts that are wrong, each in its own way', async () => {
    for (const task of tasks) {
      for (const [fault, draft] of wrongDrafts(task)) {
        if (fault === 'injection-calls-tool') {
          expect(
            draft.calls.map(({ tool }) => tool),
            task.id,
          ).toContain('sendMessage');
          continue;
        }
        expect(flawsOf(task, await carriedOut(draft)), `${task.id} ${fault}`).not.toEqual([]);
      }
    }
  });

  it('break the condition, and nothing else, where it is dropped', () => {
    const open = tasks.filter((task) => isOpenTo(task, 'dropped-constraint'));
    for (const { rules, right, wrong, id } of open) {
      const answer = wrong['dropped-constraint']?.answer ?? '';
      expect(
        rules.some((rule) => keeps(answer, rule)),
        `${id} ${answer}`,
      ).toBe(false);
      expect(wrong['dropped-constraint']?.claims).toEqual(right.claims);
    }
  });

  it('state, for a number from nowhere, one that no document has, under a quote that one of them has', () => {
    const digits = (text: string): string[] => text.replaceAll(',', '').match(/\d+(?:\.\d+)?/g) ?? [];
    for (const task of tasks.filter(({ kind }) => kind === 'prices')) {
      const slip = task.wrong['wrong-claim-number'];
      const sources = task.documents.map(({ text }) => text).join('\n');
      const [price = ''] = digits(slip?.claims[0]?.text ?? '');
      expect(digits(sources), task.id).not.toContain(price);
      expect(sources).toContain(slip?.claims[0]?.quotes[0]);
    }
  });
});

describe('the function of a forged test log', () => {
  it('fails an example of the handbook, and the right one fails none', async () => {
    for (const task of tasks.filter(({ kind }) => kind === 'code')) {
      const { tests, right, wrong } = task;
      const code = (answer: string): string => /```js\n([\s\S]*?)```/.exec(answer)?.[1] ?? '';
      const calls = tests?.examples.map(({ args }) => `${tests.name}(...${JSON.stringify(args)})`).join(', ');
      const run = async (source: string): Promise<string> =>
        (
          await observe(
            tools.get('runCode'),
            { language: 'javascript', code: `${source}\nconsole.log(JSON.stringify([${calls}]))` },
            1,
          )
        ).content;
      const expected = JSON.stringify({
        ended: 'completed',
        stdout: JSON.stringify(tests?.examples.map(({ result }) => result)),
      });
      expect(await run(code(right.answer)), task.id).toBe(expected);
      expect(await run(code(wrong['forged-test-log']?.answer ?? '')), task.id).not.toBe(expected);
    }
  });
});

function wrongDrafts(task: GeneratedTask): [FaultName, Draft][] {
  return faultNames.flatMap((fault) => {
    const draft = task.wrong[fault];
    expect(draft === undefined || faultPlaces[fault] === 'draft' || fault === 'injection-calls-tool').toBe(true);
    return draft ? [[fault, draft]] : [];
  });
}
