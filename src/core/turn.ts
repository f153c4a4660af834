import type { Ending, Final, Observation } from './attempt.ts';
import type { Plan } from './task.ts';
import type { Transcript } from './transcript.ts';

/** A human's answer to an approval request. */
export interface Decision {
  approved: boolean;
  reason?: string | undefined;
  /** With an approval: run with these arguments instead. That is another call, judged and recorded as such. */
  args?: unknown;
}

/** What a run began with, for the question where a text comes from. */
export interface Given {
  /** What the user wrote: the task and its conditions. */
  task: string;
  /** What outer layers added from earlier runs, attempts and steps; models wrote it after reading untrusted results. */
  notes: string[];
}

/** A text of a call's arguments, and the untrusted result or note it was found in. */
export interface TaintedText {
  /** Where in the arguments, such as `to[0]`. */
  at: string;
  text: string;
  /** `obs-2 (fetchPage)`, or what else it is called. */
  source: string;
  /** The observation it is, among those of the same attempt. */
  observation?: Observation['id'] | undefined;
}

/**
 * Why a call was refused. `invalid`: no such tool, arguments that do not fit, a call or a control action that could not be read. `repeat`:
 * it came out the same before. `denied`: the policy, the plan lock or a human's no. `speculative`: an effect in one of several tries.
 */
export type RefusalCause = 'invalid' | 'repeat' | 'denied' | 'speculative';

/** What the program decided about a call before it ran. `run` and `ask` become observations; `answer` does not. */
export type Verdict =
  | { type: 'run' }
  | { type: 'ask'; why: string; sources?: TaintedText[] | undefined; decision?: Decision | undefined }
  | { type: 'answer'; text: string; fault: boolean; cause?: RefusalCause | undefined };

/** A call of the model after code has judged it: canonical tool name, validated arguments, a verdict. */
export interface PreparedCall {
  /** Unique in the transcript; the provider's own id unless that was blank or used before. */
  callId: string;
  tool: string;
  args: unknown;
  /** Tool name and canonical arguments: two calls with the same key are the same call. */
  key: string;
  verdict: Verdict;
  /** A human wrote these arguments in place of the model's. */
  changed?: true | undefined;
}

/** A call that ran and what came of it, for the guard against repetition. The content is the observation's own text. */
export interface SeenCall {
  key: string;
  status: Observation['status'];
  content: string;
}

/** Everything the loop knows. Plain data, replaced and never mutated, so that a search can branch it for nothing. */
export interface TurnState {
  transcript: Transcript;
  given: Given;
  observations: Observation[];
  pending: PreparedCall[];
  seen: SeenCall[];
  /** Ids of all calls of the transcript: providers reuse theirs, ours are unique. */
  callIds: string[];
  turn: number;
  /** Refused calls and empty turns so far; they share one allowance. */
  faults: number;
  /** Calls that were blocked because they had come out the same before. */
  repeats: number;
  /** Turns in a row that held neither text nor a call. */
  emptyTurns: number;
  /** The date (YYYY-MM-DD) the transcript last told the model. */
  date: string;
  plan?: Plan | undefined;
  /** What the provider counted last, where a context may run out: tokens, of so many sealed bytes of the transcript. */
  counted?: { tokens: number; bytes: number } | undefined;
  /** The call id of an accepted `final` that has no result yet; a revision answers it with the issues. */
  openFinal?: string | undefined;
}

/** How one turn came out. Serialisable, so that a turn is a function of data. */
export type TurnOutcome =
  | { type: 'continue'; state: TurnState }
  | { type: 'final'; state: TurnState; final: Final }
  | { type: 'needs-approval'; state: TurnState; requests: PreparedCall[] }
  | { type: 'failed'; state: TurnState; ended: Exclude<Ending, { type: 'final' }> };
