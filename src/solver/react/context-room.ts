/**
 * What a conversation may still take of its model's context.
 *
 * 1. Nothing is dropped or shortened afterwards (invariant 12): what would not fit is not begun. Before a turn there is room for it and for
 *    one last answer, or the loop ends with the limit `context` and that answer.
 * 2. Everything is derived from the state and from what the run was stored with, so a replay decides the same.
 * 3. An assumed context bounds what is shown, and ends nothing.
 */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { Ending } from '../../core/attempt.ts';
import { seal } from '../../core/transcript.ts';
import type { TurnState } from '../../core/turn.ts';
import { assumedContext, cautiousTokens, longestSmallReply } from '../../model/context-tokens.ts';
import type { ModelReply, Role } from '../../model/model.ts';
import type { Run } from '../solver.ts';
import { shownCharacters } from './prompts.ts';
import { protocolOf, specsOf } from './protocol.ts';

/** No text has so many; a server that reports fewer tokens left out those it had cached. */
const mostBytesPerToken = 6;

/** The request for a last answer, and the labels and marks around what is shown. */
const marginTokens = 256;

const leastTurnTokens = 256;
const leastAnswerTokens = 64;

/** Characters of a token, where a text is prose. */
const usualCharacters = 3;

/** An excerpt shorter than this says nothing. */
const leastCharacters = 200;

/** What is kept for one last answer. */
function answerTokens(context: number): number {
  return Math.min(1_024, Math.max(256, Math.floor(context / 8)));
}

/** Room for one more turn: how long the reply may be, where it is bounded at all; or why there is none. */
export type Room = { maxOutputTokens: number | undefined } | { ended: Extract<Ending, { type: 'limit' }> };

/** The room for a turn, or for the last answer. Everything fits where the context is not known. */
export function roomFor(state: TurnState, run: Run, last: boolean): Room {
  const size = run.sizeOf?.('actor');
  const most = size?.small ? longestSmallReply : undefined;
  const context = size?.contextTokens;
  if (context === undefined) return { maxOutputTokens: most };
  const used = usedTokens(state, run);
  const left = context - used - (last ? 0 : answerTokens(context) + marginTokens);
  if (left < (last ? leastAnswerTokens : leastTurnTokens)) {
    const detail = `about ${used} of the ${context} tokens of the model's context are used. Give it a longer context, or a smaller task`;
    return { ended: { type: 'limit', limit: 'context', detail } };
  }
  return { maxOutputTokens: most && Math.min(most, left) };
}

/** The state with what the provider counted, where a context may run out. */
export function withCount(state: TurnState, { usage }: ModelReply, run: Run): TurnState {
  const isCounted = usage.estimatedCalls === 0 && usage.inputTokens > 0;
  if (!isCounted || run.sizeOf?.('actor')?.contextTokens === undefined) return state;
  return { ...state, counted: { tokens: usage.inputTokens, bytes: state.transcript.bytes } };
}

function usedTokens(state: TurnState, run: Run): number {
  const { bytes } = seal(state.transcript);
  const { counted } = state;
  if (!counted) return cautiousTokens(bytes + toolBytes(state, run));
  const known = Math.max(counted.tokens, Math.ceil(counted.bytes / mostBytesPerToken));
  return known + cautiousTokens(bytes - counted.bytes);
}

const toolSizes = new WeakMap<readonly LanguageModelV4FunctionTool[], number>();

/** The bytes of the tools, where they are told of beside the transcript. */
function toolBytes(state: TurnState, run: Run): number {
  if (protocolOf(run).textual) return 0;
  const specs = specsOf(run, state);
  const known = toolSizes.get(specs) ?? Buffer.byteLength(JSON.stringify(specs));
  toolSizes.set(specs, known);
  return known;
}

/**
 * Characters to show at once of each of so many results, within what is left without the part kept for a last answer. A small model is
 * shown as many as tokens are left to it: a character is a token at most, so that they fit whatever they are, and of prose they take a
 * quarter. Any other model is shown as much as ever, until that would no longer fit.
 */
export function resultCharacters(state: TurnState, run: Run, results: number): number {
  const size = run.sizeOf?.('actor');
  const context = size?.contextTokens ?? (size?.small ? assumedContext : undefined);
  if (context === undefined) return shownCharacters;
  const left = context - usedTokens(state, run) - answerTokens(context) - marginTokens;
  return shared(size?.small ? left : left * usualCharacters, results);
}

/** Characters to show at once of each of so many sources in a prompt of their own, or of the first one of a conversation. */
export function sourceCharacters(run: Run, role: Role, sources: number): number {
  const size = run.sizeOf?.(role);
  return size?.small ? shared((size.contextTokens ?? assumedContext) / 2, sources) : shownCharacters;
}

/** How sources are shown in a prompt to a role: fenced by the run's boundary, so many characters of each. */
export function sourceView(run: Run, role: Role, sources: number): { boundary: string; shown: number } {
  return { boundary: run.boundary, shown: sourceCharacters(run, role, sources) };
}

function shared(characters: number, among: number): number {
  const each = Math.floor(characters / Math.max(1, among));
  return Math.min(shownCharacters, Math.max(leastCharacters, each));
}
