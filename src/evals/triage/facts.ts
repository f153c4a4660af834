/** What the rules look at: the run, and what follows from it without judging it. */
import type { Attempt, Observation } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import { canonicalJson } from '../../core/json.ts';
import { isSupported } from '../../solver/supported.ts';
import { answerValue, type Expected, expectedOf, givesAll, soughtIn, Text, type Value } from './expected-value.ts';
import type { FailedRun, RecalledLesson } from './failed-run.ts';

/** An observation with its text ready to be searched, and the key of its call. */
export interface Seen {
  observation: Observation;
  text: Text;
  key: string;
}

/** An event of one type. */
export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export interface Facts {
  run: FailedRun;
  attempt: Attempt;
  /** Undefined where there is nothing to compare with. */
  expected: Expected | undefined;
  /** The expected values where finding them in a text says something; else empty. */
  sought: Value[];
  answer: string | undefined;
  /** The value the answer gives. */
  given: Value | undefined;
  /** The answer gives what was expected, so that something else about it failed. */
  rightAnswer: boolean;
  seen: Seen[];
  ok: Seen[];
  /** Calls that brought an error, a timeout or an unknown outcome. */
  failed: Seen[];
  /** Successful results that hold something of what was sought; empty unless together they hold all of it. */
  holding: Seen[];
  /** Claims whose quotes do not stand where they are said to, or that quote nothing. */
  unsupported: Attempt['claims'];
  lessons: readonly RecalledLesson[];
  /** Task and constraints. */
  taskText: Text;
  events<T extends RunEvent['type']>(type: T): EventOf<T>[];
}

/** Reads a failed run once. */
export function factsOf(run: FailedRun): Facts {
  const { attempt, task } = run;
  const expected = expectedOf(task.expected);
  const taskText = new Text([task.input, ...(task.constraints ?? [])].join('\n'));
  const sought = (expected?.parts ?? []).flatMap((part) => soughtIn(part, taskText));
  const seen = attempt.observations.map((observation) => ({
    observation,
    text: new Text(observation.content),
    key: `${observation.tool} ${canonicalJson(observation.args)}`,
  }));
  const ok = seen.filter(({ observation }) => observation.status === 'ok');
  const { answer } = attempt;
  const events = <T extends RunEvent['type']>(type: T): EventOf<T>[] =>
    run.events.filter((event): event is EventOf<T> => event.type === type);
  return {
    run,
    attempt,
    expected,
    sought,
    answer,
    given: answer === undefined ? undefined : answerValue(answer, expected, taskText),
    rightAnswer: answer !== undefined && expected !== undefined && givesAll(answer, expected),
    seen,
    ok,
    failed: seen.filter(
      ({ observation: { status } }) => status === 'error' || status === 'timeout' || status === 'unknown-outcome',
    ),
    holding: holdingOf(sought, ok),
    unsupported: attempt.claims.filter((claim) => !isSupported(claim, attempt.observations)),
    lessons: run.lessons ?? events('lesson.recalled').flatMap(({ lessons }) => lessons),
    taskText,
    events,
  };
}

function holdingOf(sought: readonly Value[], ok: readonly Seen[]): Seen[] {
  if (sought.length === 0 || !sought.every((value) => ok.some(({ text }) => text.holds(value)))) return [];
  return ok.filter(({ text }) => sought.some((value) => text.holds(value)));
}
