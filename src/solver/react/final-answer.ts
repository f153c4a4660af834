/** What the program makes of a `final`: the only thing that ends the loop well (invariant 1). */
import { Final } from '../../core/attempt.ts';
import { parseJson } from '../../model/parse.ts';
import { prepareArguments } from '../../tools/arguments.ts';
import { finalName } from './control.ts';
import type { RawCall } from './guards.ts';

/** The answer, when `final` stands alone and fits its schema. */
export function acceptedFinal(calls: readonly RawCall[]): { final: Final; callId: string } | undefined {
  const only = calls[0];
  if (calls.length !== 1 || only?.tool !== finalName) return undefined;
  const prepared = prepareArguments(finalInput(only.input), Final);
  return prepared.ok ? { final: Final.parse(prepared.args), callId: only.callId } : undefined;
}

/** An answer that is an object or a list, as tasks with an output schema tempt to write it, becomes its JSON text. */
function finalInput(input: string): string {
  if (hasTextAnswer(input)) return input;
  const parsed = parseJson(input);
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object' || Array.isArray(parsed.value))
    return input;
  const { answer } = parsed.value;
  if (answer === null || typeof answer !== 'object') return input;
  return JSON.stringify({ ...parsed.value, answer: JSON.stringify(answer) });
}

/** Whether it is strict JSON whose answer is a text, as nearly all are. */
function hasTextAnswer(input: string): boolean {
  try {
    const value: unknown = JSON.parse(input);
    return value !== null && typeof value === 'object' && 'answer' in value && typeof value.answer === 'string';
  } catch {
    return false;
  }
}

/** Why a `final` is not accepted, for the model. */
export function refuseFinal(raw: RawCall, count: number): { text: string; fault: boolean } {
  if (count > 1)
    return { text: 'final has to stand alone: read the results of the other calls first, then answer.', fault: true };
  const prepared = prepareArguments(raw.input, Final);
  return { text: prepared.ok ? 'final was not accepted' : prepared.message, fault: true };
}
