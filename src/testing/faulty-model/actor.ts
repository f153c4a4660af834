/** The simulated actor: what it says next, as a function of the prompt and its behaviour alone. */
import type { LanguageModelV4Content } from '@ai-sdk/provider';
import type { Final } from '../../core/attempt.ts';
import type { Json } from '../../core/json.ts';
import { type Behaviour, faultAfter, faultAt, firstFault } from './behaviour.ts';
import { cited, miscited } from './citations.ts';
import { type Conversation, keyOf } from './conversation.ts';
import { chanceOf } from './draws.ts';
import { type FaultName, faultPlaces } from './faults.ts';
import type { Draft, GeneratedTask, NeededCall } from './generated-task.ts';

/** A reply, and the fault that is in it. */
export interface Spoken {
  content: LanguageModelV4Content[];
  fault: FaultName | undefined;
}

/** Steps of a plan that is too long. */
const manySteps = 12;

export function speak(conversation: Conversation, behaviour: Behaviour): Spoken {
  const { wanted } = conversation;
  if (wanted.has('steps')) return plan(conversation, behaviour);
  if (wanted.has('answer'))
    return rewrite(conversation, faultAfter(mended(conversation, behaviour), behaviour, conversation));
  return wanted.size === 0 ? turn(conversation, faultAt(behaviour, conversation)) : unasked(wanted);
}

function unasked(wanted: ReadonlySet<string>): never {
  throw new RangeError(`the simulated actor knows no question for ${[...wanted].join(', ')}`);
}

/**
 * The fault that the rewritten draft has. A prompt for a rewrite shows neither a plan nor notes, and not which sample it is of: where the
 * first version reads otherwise than the drawn fault, it tells.
 */
function mended(conversation: Conversation, behaviour: Behaviour): FaultName | undefined {
  const drawn = firstFault(behaviour, conversation);
  const { task, text } = conversation;
  const mark = '\nVersion 1:\n';
  const at = text.indexOf(mark);
  if (at < 0 || (drawn && !isSaid(drawn))) return drawn;
  const fitting = [undefined, ...behaviour.faults.keys()].filter((fault) => {
    const { answer, claims } = fault === 'missing-claims' ? { ...task.right, claims: [] } : draftOf(task, fault);
    const lines = [`Draft: ${answer}`, ...claims.map((claim, index) => `Claim ${index + 1}: ${claim.text}`), 'Issues:'];
    return (fault === undefined || isSaid(fault)) && text.startsWith(lines.join('\n'), at + mark.length);
  });
  return fitting.includes(drawn) || fitting.length === 0 ? drawn : fitting[0];
}

/** Whether the fault is in the final answer, in what it says or in what it cites. */
function isSaid(fault: FaultName): boolean {
  return faultPlaces[fault] === 'citation' || faultPlaces[fault] === 'draft';
}

function plan(conversation: Conversation, behaviour: Behaviour): Spoken {
  const { task, text, reports } = conversation;
  const steps = task.right.calls.map(objectiveOf);
  // A plan that was sent back stands in the next prompt.
  const sentBack = steps.some((step) => text.includes(step)) ? 1 : 0;
  // The planner is offered no tools, and yet it is the actor with tools that plans.
  const long = faultAt(behaviour, { ...conversation, aided: true, reports: reports + sentBack }) === 'over-long-plan';
  const objectives = long
    ? Array.from({ length: manySteps }, (_, index) => `${steps[index % steps.length]}, part ${index + 1}`)
    : steps;
  const made = {
    goal: task.task.input,
    constraints: task.task.constraints,
    givens: [],
    steps: objectives.map((objective, index) => ({
      id: `s${index + 1}`,
      objective,
      needsExternalInfo: true,
      successCondition: 'an observation holds it',
    })),
    effects: [],
  };
  return { content: [textOf(made)], fault: long ? 'over-long-plan' : undefined };
}

function objectiveOf({ tool, args }: NeededCall): string {
  return `${tool} with ${JSON.stringify(args).slice(0, 80)}`;
}

/** A final answer where JSON is asked for and no tool is offered. */
function rewrite(conversation: Conversation, fault: FaultName | undefined): Spoken {
  const { task } = conversation;
  if (fault === 'empty-reply') return { content: [{ type: 'text', text: '' }], fault };
  const right = quotable(finalOf(conversation, undefined), conversation);
  if (fault === 'truncated-json')
    return { content: [{ type: 'text', text: cutShort(JSON.stringify(right), task) }], fault };
  const said = fault === undefined ? right : rewritten(conversation, fault);
  const working = conversation.wanted.has('working') ? { working: draftOf(task, fault).calls.map(objectiveOf) } : {};
  return {
    content: [textOf({ ...working, ...said })],
    fault: JSON.stringify(said) === JSON.stringify(right) ? undefined : fault,
  };
}

/** Without observations there is nothing to quote; a fault of citing quotes all the same. */
function rewritten(conversation: Conversation, fault: FaultName): Final {
  const final = finalOf(conversation, fault);
  const cites = fault === 'fabricated-observation' || fault === 'quote-not-in-source';
  return conversation.observations.length > 0 || cites ? final : { ...final, claims: [] };
}

/** The claims that what is shown can back. */
function quotable(final: Final, { observations }: Conversation): Final {
  const isShown = (quote: string): boolean => observations.some(({ text }) => text.includes(quote));
  return { ...final, claims: final.claims.filter(({ evidence }) => evidence.every(({ quote }) => isShown(quote))) };
}

/** A fault of acting does not show in the answer. */
function shownFault(fault: FaultName | undefined): FaultName | undefined {
  return fault !== undefined && isSaid(fault) ? fault : undefined;
}

function turn(conversation: Conversation, fault: FaultName | undefined): Spoken {
  const { task, called, forced } = conversation;
  const draft = draftOf(task, fault);
  const [next, ...later] = draft.calls.filter((call) => !called.has(keyOf(call)));
  if (forced) return next ? { content: [finalCall(unfinished(task))], fault: undefined } : closing(conversation, fault);
  const astray = goneAstray(conversation, fault, next);
  if (astray) return { content: astray, fault };
  if (!next) return closing(conversation, fault);
  const content = [callOf(next)];
  if (fault === 'premature-final' && later.length === 0) {
    return { content: [...content, finalCall(finalOf(conversation, fault))], fault };
  }
  return { content, fault: fault === 'injection-calls-tool' && next.tool === 'sendMessage' ? fault : undefined };
}

/** What a fault of acting does in the place of the next call. */
function goneAstray(
  { task, called }: Conversation,
  fault: FaultName | undefined,
  next: NeededCall | undefined,
): LanguageModelV4Content[] | undefined {
  const query = task.documents[0]?.title ?? '';
  switch (fault) {
    case 'answer-before-acting':
      return next && called.size === 0 ? [finalCall(guessed(task))] : undefined;
    case 'invented-tool':
      return [callOf({ tool: 'lookUpInDatabase', args: { table: query } })];
    case 'unknown-argument':
      return [callOf({ tool: 'searchDocs', args: { query, inYear: '2026' } })];
    case 'repeated-failing-call':
      return [callOf({ tool: 'searchDocs', args: { query: `the ${query} of last century` } })];
    case 'empty-reply':
      return [];
    default:
      return undefined;
  }
}

function closing(conversation: Conversation, fault: FaultName | undefined): Spoken {
  const { task } = conversation;
  const final = finalOf(conversation, fault);
  if (fault === 'truncated-json') return { content: [rawFinal(cutShort(JSON.stringify(final), task))], fault };
  return { content: [finalCall(final)], fault: shownFault(fault) };
}

function finalOf(conversation: Conversation, fault: FaultName | undefined): Final {
  const final = cited(draftOf(conversation.task, fault), conversation.observations);
  return fault === undefined ? final : miscited(final, fault, conversation);
}

function draftOf({ right, wrong }: GeneratedTask, fault: FaultName | undefined): Draft {
  return (fault === undefined ? undefined : wrong[fault]) ?? right;
}

/** An answer out of thin air, without claims or with claims that nothing was read for. */
function guessed(task: GeneratedTask): Final {
  const draft = task.wrong['stale-value'] ?? task.right;
  return chanceOf(task.id, 'guess') < 0.5 ? { answer: draft.answer, claims: [] } : cited(draft, []);
}

/** What an honest actor says when it has to stop before it is done. */
function unfinished({ language }: GeneratedTask): Final {
  return {
    answer: language === 'zh' ? '资料没有查完，无法回答。' : 'This could not be looked up to the end.',
    claims: [],
  };
}

/** The text breaks off somewhere in its second half. */
function cutShort(text: string, task: GeneratedTask): string {
  return text.slice(0, Math.floor(text.length * (0.5 + 0.45 * chanceOf(task.id, 'cut'))));
}

function textOf(value: unknown): LanguageModelV4Content {
  return { type: 'text', text: JSON.stringify(value) };
}

function callOf({ tool, args }: { tool: string; args: Record<string, Json> }): LanguageModelV4Content {
  return { type: 'tool-call', toolCallId: '', toolName: tool, input: JSON.stringify(args) };
}

function finalCall(final: Final): LanguageModelV4Content {
  return rawFinal(JSON.stringify(final));
}

function rawFinal(input: string): LanguageModelV4Content {
  return { type: 'tool-call', toolCallId: '', toolName: 'final', input };
}
