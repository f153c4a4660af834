import { type Attempt, LessonDraft } from '../../core/attempt.ts';
import type { Applicability, Lesson } from '../../core/lesson.ts';
import type { Task } from '../../core/task.ts';
import { type LessonStore, type Origin, textToEmbed } from '../../memory/memory.ts';
import { namesTool } from '../../memory/passing.ts';
import { ask } from '../../model/ask.ts';
import type { EmbeddingModel } from '../../model/embedding.ts';
import type { Layer, Run } from '../solver.ts';
import { isWon, outcomesOf } from './outcomes.ts';
import { lessonText, reflectPrompt, reflectRules } from './prompts.ts';
import { remember } from './remember.ts';

export interface LessonsOptions {
  store: LessonStore;
  /** Lessons recalled at most. Default 3. */
  limit?: number;
  /** Tokens of recalled lessons at most. Default 600. */
  maxTokens?: number;
  /** Where lessons apply, for example one project. Default `default`. */
  scope?: string;
  /** A name for the kind of task: lessons of another kind are not recalled. */
  taskKind?: string;
  /** Lessons are of the model that needed them, and not recalled for another one. Default false. */
  perModel?: boolean;
  /** Finds lessons by meaning as well as by words. Default: the agent's embedder, where it has one. */
  embedding?: EmbeddingModel;
  /** The cosine from which on a lesson is near a task. Default 0.5; it depends on the embedding model. */
  minSimilarity?: number;
}

type Settings = LessonsOptions & Required<Pick<LessonsOptions, 'limit' | 'maxTokens' | 'scope' | 'perModel'>>;

/**
 * Recalls lessons before, counts their outcome and admits new ones after (the memory of Reflexion, section 3.3). Every touch of the
 * store is a step: what was recalled belongs to the run, not to the moment of a replay.
 * A run with an edited observation teaches nothing and is no win or loss of what was recalled: it says nothing about the world.
 * `brief.revise`: recalls nothing anew, passes it on.
 */
export function lessons(options: LessonsOptions): Layer {
  const settings: Settings = { limit: 3, maxTokens: 600, scope: 'default', perModel: false, ...options };
  const { store: _, embedding, ...named } = settings;
  return {
    name: 'lessons',
    config: { ...named, ...(embedding && { embedding: embedding.modelId }) },
    place: 'information',
    ...(embedding && { asks: [embedding] }),
    wrap: (inner) => async (brief, run) => {
      if (brief.revise) return inner(brief, run);
      const recalled = await recall(brief.task, settings, run);
      const notes = recalled.map((lesson) => ({ from: 'lesson' as const, text: lessonText(lesson) }));
      const attempt = await inner({ ...brief, notes: [...brief.notes, ...notes] }, run);
      return run.edited ? attempt : learn(attempt, { task: brief.task, recalled }, { settings, run });
    },
  };
}

/** Counts the outcome of what was recalled, and admits what the attempt teaches. */
async function learn(
  attempt: Attempt,
  { task, recalled }: { task: Task; recalled: Lesson[] },
  { settings, run }: { settings: Settings; run: Run },
): Promise<Attempt> {
  const { store } = settings;
  const won = isWon(attempt);
  const drafts = won ? [...attempt.drafts, ...(await draftFromRepair(attempt, task, run))] : [];
  if (recalled.length > 0) {
    const outcomes = outcomesOf(recalled, attempt, drafts);
    await remember(run, 'report', undefined, async (_, { idempotencyKey }) => {
      await store.report(outcomes, { run: run.runId, now: run.durable.now(), key: idempotencyKey });
      return null;
    });
  }
  if (!won) return attempt;
  const origin = originOf(task, attempt, recalled);
  for (const draft of drafts) await admit(draft, origin, { settings, run });
  return { ...attempt, drafts };
}

async function recall(task: Task, settings: Settings, run: Run): Promise<Lesson[]> {
  const { store, scope, limit, maxTokens, minSimilarity } = settings;
  const text = textOf(task);
  const found = await remember(run, 'recall', settings.embedding ?? run.embedder, async (embedder) => {
    const embedding = await embedder.one(text);
    if (embedding) await embedder.catchUp(store, scope, embedding);
    const applies = applicability(settings, run);
    return store.recall({ text, scope, limit, maxTokens, minSimilarity, embedding, applies, now: run.durable.now() });
  });
  const recalled = found ?? [];
  run.emit({ type: 'lesson.recalled', lessons: recalled.map(({ id, trigger, lesson }) => ({ id, trigger, lesson })) });
  return recalled;
}

/** A mended attempt teaches something: what the reports found and what then passed. */
async function draftFromRepair(attempt: Attempt, task: Task, run: Run): Promise<LessonDraft[]> {
  const mended = attempt.revisions > 0 && attempt.reports.some((report) => report.issues.length > 0);
  if (!mended || attempt.drafts.length > 0) return [];
  const asked = await ask(run, {
    step: 'lessons.reflect',
    role: 'reflector',
    system: reflectRules,
    prompt: reflectPrompt(task, attempt),
    schema: LessonDraft,
    tries: 2,
  });
  return asked.ok ? [asked.value] : [];
}

async function admit(
  draft: LessonDraft,
  origin: Origin,
  { settings, run }: { settings: Settings; run: Run },
): Promise<void> {
  const { store, scope } = settings;
  const admission = await remember(
    run,
    'admit',
    settings.embedding ?? run.embedder,
    async (embedder, { idempotencyKey }) => {
      const embedding = await embedder.one(textToEmbed(draft));
      const { tools = [], ...bound } = applicability(settings, run);
      const needed = tools.filter((tool) => namesTool(`${draft.lesson} ${draft.avoid}`, tool));
      const applies = needed.length > 0 ? { ...bound, tools: needed } : bound;
      const meta = { id: idempotencyKey, source: run.runId, now: run.durable.now() };
      return store.admit(draft, { ...meta, scope, applies, origin, embedding });
    },
  );
  if (admission) run.emit({ type: 'lesson.admitted', ...admission, lesson: draft.lesson });
}

/** What lessons of this run are bound to, and what a lesson may be bound to to be recalled: all tools of the run. */
function applicability({ taskKind, perModel }: Settings, run: Run): Applicability {
  const model = perModel ? run.model('actor').modelId : undefined;
  return {
    tools: [...run.tools.keys()],
    ...(taskKind !== undefined && { taskKind }),
    ...(model !== undefined && { model }),
  };
}

function originOf(task: Task, attempt: Attempt, recalled: readonly Lesson[]): Origin {
  const untrusted = attempt.observations.filter(({ trust }) => trust === 'untrusted').map(({ content }) => content);
  return { task: textOf(task), untrusted, recalled };
}

function textOf(task: Task): string {
  return [task.input, ...task.constraints].join('\n');
}
