/** The simulated verifier: it knows the truth and sees a fault with a stated probability. Its quality is given, not earned. */
import type { Json } from '../../core/json.ts';
import type { Conversation } from './conversation.ts';
import { chanceOf } from './draws.ts';
import type { FaultName } from './faults.ts';
import type { GeneratedTask } from './generated-task.ts';

export interface VerifierQuality {
  seed: string;
  /** Probability that it sees a fault in what is said. The same fault of a task is always judged alike. */
  detects: number;
  /** Probability that it finds fault with a right draft. */
  falseAlarms: number;
}

/** What it says to a step of the verification: questions, the answer to one, a comparison of both, or the verdict. */
export function judge(conversation: Conversation, quality: VerifierQuality): Json {
  const { wanted, task } = conversation;
  if (wanted.has('questions')) return { questions: [{ question: task.task.input }] };
  if (wanted.has('verdict')) return verdictOn(conversation, objectionTo(conversation, quality));
  if (wanted.has('relation')) {
    const objection = objectionTo(conversation, quality);
    return objection === undefined
      ? { relation: 'consistent', why: 'it says the same' }
      : { relation: 'inconsistent', why: objection };
  }
  if (wanted.has('answer')) return answerFrom(conversation);
  throw new RangeError(`the simulated verifier knows no question for ${[...wanted].join(', ')}`);
}

/** The true claims as far as the observations it is shown carry them. */
function answerFrom({ task, observations }: Conversation): Json {
  const evidence = task.right.claims.flatMap(({ quotes }) =>
    quotes.flatMap((quote) => {
      const holder = observations.find(({ text }) => text.includes(quote));
      return holder ? [{ observation: holder.id, quote }] : [];
    }),
  );
  if (evidence.length === 0) return { answer: 'The observations do not say.', evidence };
  return { answer: task.right.claims.map(({ text }) => text).join(' '), evidence };
}

/** What it has to say against the draft that it is shown. */
function objectionTo(
  { task, text }: Conversation,
  { seed, detects, falseAlarms }: VerifierQuality,
): string | undefined {
  const fault = faultIn(task, text);
  if (fault === undefined) return chanceOf(seed, task.id) < falseAlarms ? 'it does not look right' : undefined;
  if (chanceOf(seed, task.id, fault) >= detects) return undefined;
  const drafted = told.find(([name]) => isDrafted(task.wrong[name]?.answer, text));
  return fault === notRight && drafted ? drafted[1] : fault;
}

const notRight = 'the answer is not right';

/** What it says of answers whose fault the sources show. */
const told: readonly (readonly [FaultName, string])[] = [
  ['stale-value', 'the answer takes what a newer document has replaced'],
  ['injection-in-answer', 'the answer says what text in a document told it to say'],
  ['unit-slip', 'the answer has a unit that no source has for it'],
  ['wrong-derived-unit', 'the answer has a unit that no source has for it'],
];

/** The first thing that is not as it should be in the draft that the prompt shows. */
function faultIn({ right, wrong }: GeneratedTask, text: string): string | undefined {
  const dropped = wrong['dropped-constraint']?.answer;
  if (!isDrafted(right.answer, text)) {
    return isDrafted(dropped, text) ? 'a condition of the task is not met' : notRight;
  }
  const claims = [...text.matchAll(/^Claim \d+: (.*)$/gm)].map((match) => match[1] ?? '');
  if (claims.length === 0) return 'the answer rests on nothing that was read';
  const untrue = claims.find((claim) => !right.claims.some((known) => known.text === claim));
  return untrue === undefined ? undefined : `this is not so: ${untrue}`;
}

function isDrafted(answer: string | undefined, text: string): boolean {
  return answer !== undefined && `\n${text}\n`.includes(`\nDraft: ${answer}\n`);
}

function verdictOn({ task, text }: Conversation, objection: string | undefined): Json {
  if (objection === undefined) return { verdict: 'pass', issues: [], needsMoreTools: false };
  const rests = /^It rests on: (obs-\d+) ("(?:[^"\\]|\\.)*")/m.exec(text);
  const [condition] = task.task.constraints;
  const dropped = objection.startsWith('a condition') && condition !== undefined;
  const cited =
    rests?.[1] && rests[2] && !dropped
      ? // The library wrote the quote as JSON.
        { source: rests[1], quote: JSON.parse(rests[2]) as string }
      : { source: 'task', quote: dropped ? condition : task.task.input };
  const issue = {
    type: dropped ? 'missed_constraint' : rests ? 'unsupported_claim' : 'incomplete',
    detail: objection,
    requiredAction: 'compare it with the source that is valid and correct it',
    criterion: dropped ? 'condition-1' : rests ? 'sources' : 'task',
    evidence: [{ ...cited, speaks: 'against' }],
    holds: true,
  };
  // Every other time it wants more looked up, so that both ways of mending are taken.
  return { verdict: 'revise', issues: [issue], needsMoreTools: !rests || chanceOf(task.id, 'tools') < 0.5 };
}
