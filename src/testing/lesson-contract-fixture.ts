import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import type { LessonStoreOptions } from '../memory/lesson-record.ts';
import type { Admission, AdmissionMeta, LessonStore, Outcome, RecallQuery } from '../memory/memory.ts';

export interface LessonStoreFixture {
  store: LessonStore;
  another?(): LessonStore;
  dispose?(): Promise<void> | void;
}

/** Makes a fresh, empty store; the suite closes and disposes of it. */
export type MakeLessonStore = (options?: LessonStoreOptions) => Promise<LessonStoreFixture>;

export const day: number = 24 * 60 * 60 * 1000;
export const start: number = Date.UTC(2031, 4, 5);

export const freight: LessonDraft = {
  trigger: 'freight cost of pallets across two warehouses',
  failurePattern: 'pallet weights in pounds added to weights in kilograms',
  lesson: 'Convert every pallet weight to kilograms, then add them up',
  avoid: 'Adding weights with different units',
};
export const library: LessonDraft = {
  trigger: 'opening hours of a public library branch',
  failurePattern: 'holiday timetable quoted for an ordinary weekday',
  lesson: 'Read the timetable section named after the weekday in question',
  avoid: 'Quoting the first timetable of the page',
};
export const invoices: LessonDraft = {
  trigger: '汇总多张发票的税额',
  failurePattern: '含税金额与不含税金额相加',
  lesson: '先按税率拆分每张发票的金额，然后分别汇总税额',
  avoid: '直接相加票面金额',
};

/** A draft that no rule takes for another: each is about a failure of its own. */
export function numbered(number: number): LessonDraft {
  const word = [...String(number)].map((digit) => 'kbvfzrplwj'[Number(digit)]).join('a');
  return {
    trigger: `shared topic ${word}o`,
    failurePattern: `column ${word}ef mistaken for a total`,
    lesson: `Read the ${word}ef header before summing`,
    avoid: `Guessing ${word}em`,
  };
}

/** An active lesson without a record, changed as a test needs it. */
export function lessonWith(change: Partial<Lesson>): Lesson {
  return {
    ...freight,
    id: 'l',
    source: 'r',
    scope: 's',
    applies: {},
    created: 0,
    expires: 1,
    checked: 0,
    uses: 0,
    wins: 0,
    losses: 0,
    evidence: [],
    conflicts: [],
    status: 'active',
    why: 'new',
    ...change,
  };
}

type Changes<Whole, Left extends keyof Whole> = Partial<Omit<Whole, Left>>;

export function admit(
  store: LessonStore,
  draft: LessonDraft,
  id: string,
  meta: Changes<AdmissionMeta, 'id'> = {},
): Promise<Admission> {
  return store.admit(draft, { id, source: `run of ${id}`, scope: 'shop', now: start, ...meta });
}

/** The ids of what is recalled. */
export async function recall(
  store: LessonStore,
  text: string,
  query: Changes<RecallQuery, 'text'> = {},
): Promise<string[]> {
  const found = await store.recall({ text, scope: 'shop', limit: 5, now: start, ...query });
  return found.map((lesson) => lesson.id);
}

/** Reports one outcome for one lesson, under a key and a run of their own. */
export async function report(
  store: LessonStore,
  id: string,
  outcome: Outcome,
  meta: { key: string; now?: number },
): Promise<void> {
  const { key, now = start } = meta;
  await store.report([{ id, outcome }], { run: `run ${key}`, now, key });
}
