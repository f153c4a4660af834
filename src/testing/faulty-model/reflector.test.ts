import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import { checksPass } from '../../checks/evaluators/checks-pass.ts';
import type { EventBody, RunEvent } from '../../core/event.ts';
import { judgeDraft } from '../../memory/admission.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import { lessons } from '../../solver/lessons/lessons.ts';
import { reflexion } from '../../solver/reflexion/reflexion.ts';
import type { Layer } from '../../solver/solver.ts';
import { verification } from '../../solver/verification/verification.ts';
import {
  type FaultName,
  faultyModel,
  generatedTools,
  generateTasks,
  isOpenTo,
  simulatedReflector,
  simulatedVerifier,
  taskKinds,
} from '../faulty-model.ts';
import { type Family, situations, teachings } from './teachings.ts';

const tasks = generateTasks({ seed: 6, count: 100 });
const languages = ['en', 'zh'] as const;
// Keys of the table are its families.
const families = Object.keys(teachings.en) as Family[];

type Told<T extends EventBody['type']> = Extract<RunEvent, { type: T }>;

/** Runs tasks that are open to a fault one after the other. */
async function afterEachOther(fault: FaultName, layers: Layer[], options: { diagnoses?: number; heard?: number } = {}) {
  const { diagnoses = 1, heard = 0 } = options;
  const open = tasks.filter((task) => isOpenTo(task, fault) && task.language === 'en').slice(0, 12);
  const actor = faultyModel({ tasks, faults: { [fault]: 1 }, repair: 1, notesPrevent: { [fault]: heard } });
  const model = {
    actor,
    verifier: simulatedVerifier({ tasks, detects: 1 }),
    reflector: simulatedReflector({ tasks, diagnoses }),
  };
  const agent = defineAgent({ model, tools: generatedTools(tasks), layers });
  const events: RunEvent[] = [];
  for (const { task } of open) for await (const event of agent.run(task)) events.push(event);
  await agent.close();
  const of = <T extends EventBody['type']>(type: T) => events.filter((event): event is Told<T> => event.type === type);
  return { of, open, committed: actor.committed };
}

describe('a simulated reflector', () => {
  const learnt: [FaultName, Family][] = [
    ['fabricated-observation', 'citation'],
    ['wrong-row', 'reading'],
    ['answer-off-claims', 'computation'],
    ['stale-value', 'edition'],
    ['unit-slip', 'unit'],
    ['injection-in-answer', 'planted'],
    ['wrong-schema', 'shape'],
  ];

  it.each(learnt)(
    'names %s from what was found fault with: the memory keeps it and it is recalled',
    async (fault, family) => {
      const store = inMemoryLessons();
      const { of, open } = await afterEachOther(fault, [lessons({ store }), verification()]);
      const kept = await store.list({ status: 'active' });
      expect(kept.map(({ lesson }) => lesson)).toContain(teachings.en[family].lesson);
      for (const { trigger, failurePattern, lesson, avoid } of kept)
        expect(`${trigger}${failurePattern}${lesson}${avoid}`).not.toMatch(/\d/);
      const recalled = of('lesson.recalled').filter((event) => event.lessons.length > 0);
      expect(recalled.length).toBeGreaterThan(open.length / 3);
    },
  );

  it('teaches something that keeps later tasks from the fault', async () => {
    const layers = () => [lessons({ store: inMemoryLessons() }), verification()];
    const unheard = await afterEachOther('stale-value', layers());
    const heard = await afterEachOther('stale-value', layers(), { heard: 1 });
    const first = (ran: typeof heard) => new Set(ran.committed.map(({ task }) => task)).size;
    expect(first(unheard)).toBe(unheard.open.length);
    expect(first(heard)).toBeLessThan(unheard.open.length / 2);
  });

  it('says what to do otherwise in the next trial', async () => {
    const evaluator = checksPass(['quotes', 'evidence']);
    const ran = await afterEachOther('fabricated-observation', [reflexion({ evaluator })], { heard: 1 });
    expect(ran.of('reflection.made').length).toBe(ran.open.length);
    for (const { text } of ran.of('reflection.made')) expect(text).toContain(teachings.en.citation.lesson);
    const passed = ran.of('trial.end').filter(({ trial, pass }) => trial === 2 && pass);
    expect(passed.length).toBe(ran.open.length);
  });

  it('that sees nothing teaches nothing', async () => {
    const store = inMemoryLessons();
    const { of } = await afterEachOther('unit-slip', [lessons({ store }), verification()], { diagnoses: 0 });
    expect(of('lesson.admitted').length).toBeGreaterThan(0);
    expect(await store.list({ status: 'active' })).toEqual([]);
  });
});

it('gives advice that the rules of the memory admit, each kind beside the others', async () => {
  for (const language of languages) {
    for (const kind of taskKinds) {
      const store = inMemoryLessons();
      for (const family of families) {
        const { pattern, lesson, avoid } = teachings[language][family];
        const draft = { trigger: situations[language][kind], failurePattern: pattern, lesson, avoid };
        expect(judgeDraft(draft, []), family).toMatchObject({ type: 'admitted' });
        const meta = { id: family, source: 'run', scope: 'default', now: 0 };
        expect(await store.admit(draft, meta), `${kind} ${family}`).toMatchObject({ admitted: true, why: 'new' });
      }
    }
  }
});
