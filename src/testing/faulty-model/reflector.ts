/** The simulated reflector: it reads what was found fault with, and nothing else, and says what the advice on that is. */
import type { LessonDraft } from '../../core/attempt.ts';
import type { Json } from '../../core/json.ts';
import type { Conversation } from './conversation.ts';
import { chanceOf } from './draws.ts';
import { type Family, familyIn, situations, teachings } from './teachings.ts';

export interface ReflectorQuality {
  seed: string;
  /** Probability that it sees what kind of fault the issues speak of. The same kind in a task is always judged alike. */
  diagnoses: number;
}

/** What it says to a failed trial (`diagnosis`), or to an answer that was mended: a lesson. */
export function reflectOn(conversation: Conversation, { seed, diagnoses }: ReflectorQuality): Json {
  const { wanted, task, text } = conversation;
  if (!wanted.has('diagnosis') && !wanted.has('failurePattern'))
    throw new RangeError(`the simulated reflector knows no question for ${[...wanted].join(', ')}`);
  const family = familyIn(issuesIn(text));
  const seen = family !== undefined && chanceOf(seed, task.id, family, 'diagnosis') < diagnoses;
  const draft = seen ? lessonOn(family, conversation) : nothingSeen;
  if (!wanted.has('diagnosis')) return { ...draft };
  if (!seen) return { diagnosis: 'The cause is not clear.', plan: ['Go another way.'] };
  return { diagnosis: `The fault was this: ${draft.failurePattern}.`, plan: [draft.lesson], lesson: { ...draft } };
}

/** Too general for any memory to keep. */
const nothingSeen: LessonDraft = {
  trigger: 'any task',
  failurePattern: 'it went wrong',
  lesson: 'Be careful.',
  avoid: '',
};

function lessonOn(family: Family, { task: { kind, language } }: Conversation): LessonDraft {
  const { pattern, lesson, avoid } = teachings[language][family];
  return { trigger: situations[language][kind], failurePattern: pattern, lesson, avoid };
}

/** Each line that speaks of a fault. */
function issuesIn(text: string): string[] {
  const from = text.search(/^(?:Issues found:|Found by the attempt's own checks:|Feedback of the evaluator:)/m);
  if (from < 0) return [];
  const [told = ''] = text.slice(from).split('\nTool calls until it was right:', 1);
  return told.split('\n');
}
