import type { Ending } from '../../../core/attempt.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import type { FailedRun, RecalledLesson } from '../failed-run.ts';
import { type Fields, firstOf, isFields, type RowPlace, textOf } from './fields.ts';
import { readMessages } from './messages.ts';
import { recordedRun } from './recorded.ts';
import { readSteps, readTraceText, type Traced } from './steps.ts';

const inputs = ['question', 'claim', 'input', 'problem', 'prompt', 'instruction', 'task', 'query'];
const answers = ['answer', 'output', 'prediction', 'response', 'final_answer', 'result'];
const references = ['gold', 'expected', 'label', 'target', 'reference', 'ground_truth', 'expected_answer'];

/** A row as a failed run, or undefined when it says that it succeeded. Throws `UsageError` for one that says nothing to go by. */
export function failureOf(row: Fields, place: RowPlace): FailedRun | undefined {
  if (succeeded(row)) return undefined;
  if (isFields(row['attempt'])) return recordedRun(row, place);
  const { messages, trajectory, steps, trace } = row;
  const chat = firstOf({ messages: messages ?? null, trajectory: trajectory ?? null }, ['messages', 'trajectory']);
  const read = Array.isArray(chat) ? readMessages(chat) : undefined;
  const traced =
    read ?? (Array.isArray(steps) ? readSteps(steps) : typeof trace === 'string' ? readTraceText(trace) : undefined);
  const input = textOf(row, inputs) ?? (isFields(row['task']) ? textOf(row['task'], inputs) : undefined) ?? read?.asked;
  if (input === undefined || input.trim() === '')
    throw new UsageError(
      `${place.name}, ${place.unit ?? 'line'} ${place.line}: nothing says what was asked. Give the task as one of: ${inputs.join(', ')}, or messages.`,
    );
  return pasted(row, input, { place, traced: traced ?? { observations: [], invalid: [] } });
}

const goodWords = /^(?:correct|success|successful|passed|pass|solved|ok|completed)$/i;

function succeeded(row: Fields): boolean {
  const { grade, outcome, status } = row;
  if (isFields(grade) && grade['pass'] === true) return true;
  if (['pass', 'passed', 'success', 'correct', 'solved', 'is_correct'].some((name) => row[name] === true)) return true;
  if (row['em'] === 1 || row['reward'] === 1) return true;
  if (isFields(row['attempt']) || isFields(grade)) return outcome === 'success';
  return [outcome, status].some((word) => typeof word === 'string' && goodWords.test(word));
}

function pasted(row: Fields, input: string, read: { place: RowPlace; traced: Traced }): FailedRun {
  const { traced, place } = read;
  const answer = textOf(row, answers) ?? traced.answer;
  const error =
    textOf(row, ['error', 'exception', 'stderr']) ??
    (traced.observations.length === 0 ? textOf(row, ['trace', 'log']) : undefined);
  const id = textOf(row, ['id', 'task_id', 'taskId', 'runId', 'run_id']) ?? `line-${place.line}`;
  const trial = textOf(row, ['trial', 'attempt_number']);
  const configuration = textOf(row, ['configuration', 'system', 'config', 'agent']);
  const ended = endingOf(row, answer, traced);
  const lessons = lessonsOf(firstOf(row, ['lessons', 'reflections']));
  return {
    runId: trial === undefined ? id : `${id}#${trial}`,
    task: {
      id,
      input,
      constraints: textsOf(firstOf(row, ['constraints', 'conditions'])),
      expected: firstOf(row, references),
    },
    configuration,
    attempt: {
      ...(answer !== undefined && { answer }),
      claims: [],
      observations: traced.observations,
      reports: [],
      drafts: [],
      ended: ended ?? { type: 'limit', limit: 'interrupted', detail: 'the trace has no answer and does not say why' },
      degraded: false,
      revisions: 0,
    },
    events: [],
    ...(ended === undefined && { unknownEnding: true }),
    ...(error !== undefined && { error }),
    ...(lessons.length > 0 && { lessons }),
  };
}

/** A row without an answer that says it was halted ran out of steps; replies that were no action end a run too. */
function endingOf(row: Fields, answer: string | undefined, traced: Traced): Ending | undefined {
  if (answer !== undefined) return { type: 'final' };
  if (traced.invalid.length > traced.observations.length)
    return {
      type: 'fault',
      fault: 'too-many-faults',
      detail: `${traced.invalid.length} actions were none: ${traced.invalid[0]}`,
    };
  const status = textOf(row, ['status', 'outcome', 'error', 'reason']) ?? '';
  const limit = /halt|max.?(?:steps|turns|iterations)|step limit|out of steps|recursion limit|iteration limit/i.exec(
    status,
  );
  return limit ? { type: 'limit', limit: 'steps', detail: status } : undefined;
}

function lessonsOf(value: Json | undefined): RecalledLesson[] {
  return textsOf(value).map((lesson, index) => ({ id: `lesson-${index + 1}`, trigger: '', lesson }));
}

function textsOf(value: Json | undefined): string[] {
  return (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap((item) =>
    typeof item === 'string' ? [item] : isFields(item) ? (textOf(item, ['lesson', 'text']) ?? []) : [],
  );
}
