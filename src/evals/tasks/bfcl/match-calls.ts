/** When calls are the expected ones: the rules of the Berkeley Function-Calling Leaderboard's comparison of syntax trees. */
import type { Json } from '../../../core/json.ts';

export interface Call {
  tool: string;
  args: Readonly<Record<string, Json>>;
}

/** One call: by function, for each parameter the values that are accepted. `""` among them: the parameter may be left out. */
export type ExpectedCall = Record<string, Record<string, Json[]>>;

/**
 * Why the calls are not the expected ones, or undefined. There have to be as many, in any order, each fitting another expected call
 * (a greedy choice would fail some that fit).
 */
export function mismatch(calls: readonly Call[], expected: readonly ExpectedCall[]): string | undefined {
  if (calls.length !== expected.length) return `${counted(calls.length)}, and ${expected.length} expected`;
  const matched = new Map<Call, number>();
  for (const index of expected.keys()) {
    if (!place(index, { calls, expected, matched, tried: new Set() }))
      return `no call is ${JSON.stringify(expected[index])}${nearest(calls, expected[index] ?? {})}`;
  }
  return undefined;
}

interface Matching {
  calls: readonly Call[];
  expected: readonly ExpectedCall[];
  /** The expected call that each call stands for so far. */
  matched: Map<Call, number>;
  tried: Set<Call>;
}

/** Finds a call for the expected one, and another one for what that call stood for (Kuhn 1955). */
function place(index: number, matching: Matching): boolean {
  const { calls, expected, matched, tried } = matching;
  for (const call of calls) {
    if (tried.has(call) || faultOf(call, expected[index] ?? {}) !== undefined) continue;
    tried.add(call);
    const before = matched.get(call);
    if (before !== undefined && !place(before, matching)) continue;
    matched.set(call, index);
    return true;
  }
  return false;
}

function counted(calls: number): string {
  return calls === 1 ? '1 call was made' : `${calls} calls were made`;
}

/** For a reader: what is wrong with the calls of that function. */
function nearest(calls: readonly Call[], expected: ExpectedCall): string {
  const faults = calls
    .filter(({ tool }) => Object.hasOwn(expected, tool))
    .flatMap((call) => faultOf(call, expected) ?? []);
  return faults.length > 0 ? `: ${faults.join('; ')}` : '';
}

/** Why the call is not the expected one, or undefined. */
export function faultOf({ tool, args }: Call, expected: ExpectedCall): string | undefined {
  const parameters = Object.hasOwn(expected, tool) ? expected[tool] : undefined;
  return parameters ? membersFault(args, parameters) : `${tool} is not the function`;
}

function membersFault(
  given: Readonly<Record<string, Json>>,
  accepted: Readonly<Record<string, Json>>,
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(accepted, name)) return `${name} is not expected`;
    if (!acceptedValues(accepted[name]).some((one) => accepts(value, one)))
      return `${name} is ${JSON.stringify(value)}, not one of ${JSON.stringify(accepted[name])}`;
  }
  const absent = Object.keys(accepted).find(
    (name) => !Object.hasOwn(given, name) && !acceptedValues(accepted[name]).includes(''),
  );
  return absent === undefined ? undefined : `${absent} is missing`;
}

function acceptedValues(accepted: Json | undefined): readonly Json[] {
  return Array.isArray(accepted) ? accepted : accepted === undefined ? [] : [accepted];
}

/** Lists item by item and in order; an object's members by lists of their own; texts as `folded`; all else by value. */
function accepts(value: Json, accepted: Json): boolean {
  if (typeof value === 'string') return typeof accepted === 'string' && folded(value) === folded(accepted);
  if (Array.isArray(value)) {
    if (!Array.isArray(accepted) || value.length !== accepted.length) return false;
    return value.every((item, index) => accepts(item, accepted[index] ?? null));
  }
  if (typeof value !== 'object' || value === null) return value === accepted;
  if (typeof accepted !== 'object' || accepted === null || Array.isArray(accepted)) return false;
  return membersFault(value, accepted) === undefined;
}

/** Without case, spaces and the punctuation that dates and names are written with in several ways. */
function folded(text: string): string {
  return text
    .replace(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}
