/** Failures of the model itself: it says nothing, refuses, breaks off, or names no valid action. */
import type { Facts } from '../facts.ts';
import { at, type TriageRule } from '../rule.ts';

const tooLong =
  /longer than the model accepts|context.?(?:length|window)|maximum.{0,20}(?:context|tokens)|too (?:long|many tokens)/i;
const filtered = /content.?(?:filter|policy)/i;
const unsupported = /provider refused the request\b|does not support/i;

/** Whether an error of the provider is about what was asked of this model, so that another model would have answered. */
export function refusesRequest(detail: string): boolean {
  return tooLong.test(detail) || filtered.test(detail) || unsupported.test(detail);
}

/** What the provider said against the request, in the run or in the log that was pasted. */
function errorOf({ attempt: { ended }, run, answer }: Facts): { where: string; text: string } | undefined {
  if (ended.type === 'fault' && ended.fault === 'model-error') return { where: 'attempt.ended', text: ended.detail };
  return answer === undefined && run.error !== undefined ? { where: 'error', text: run.error } : undefined;
}

export const modelRefused: TriageRule = {
  name: 'model-refused',
  layer: 'model',
  symptom: 'model-refused',
  applies(facts) {
    const { ended } = facts.attempt;
    const error = errorOf(facts);
    const refused = ended.type === 'fault' && ended.fault === 'refused' ? at('attempt.ended', ended.detail) : undefined;
    const stopped = error && filtered.test(error.text) ? at(error.where, error.text) : undefined;
    const found = refused ?? stopped;
    return found && { why: 'The model, or the filter in front of it, refused the task.', evidence: [found] };
  },
};

export const requestRejected: TriageRule = {
  name: 'request-rejected',
  layer: 'model',
  symptom: 'weak-model',
  applies(facts) {
    const error = errorOf(facts);
    if (!error || !refusesRequest(error.text)) return undefined;
    return {
      why: 'The model cannot take this request: it is too long or asks for what it does not support.',
      evidence: [at(error.where, error.text)],
    };
  },
};

export const unusableReply: TriageRule = {
  name: 'unusable-reply',
  layer: 'model',
  symptom: 'weak-model',
  applies({ run, attempt: { ended } }) {
    if (
      run.unknownEnding ||
      ended.type !== 'fault' ||
      !['empty-response', 'truncated', 'invalid-answer'].includes(ended.fault)
    )
      return undefined;
    const said = { 'empty-response': 'nothing', truncated: 'what broke off', 'invalid-answer': 'no usable answer' };
    // One of the three, as was just asked.
    return {
      why: `The model replied with ${said[ended.fault as keyof typeof said]}.`,
      evidence: [at('attempt.ended', ended.detail)],
    };
  },
};

const unknownTool =
  /there is no tool|names no tool|no tool is named|unknown tool|tool .{0,40}(?:does not exist|not found)/i;
const fewest = 3;

export const unknownTools: TriageRule = {
  name: 'unknown-tools',
  layer: 'model',
  symptom: 'weak-model',
  applies(facts) {
    const refused = facts.events('tool.refused').filter(({ why }) => unknownTool.test(why));
    const pasted = facts.failed.filter(({ observation }) => unknownTool.test(observation.content));
    if (refused.length + pasted.length < fewest || recovered(facts)) return undefined;
    const evidence = [
      ...refused.map(({ id, tool, why }) => at(id, `${tool}: ${why}`)),
      ...pasted.map(({ observation }) => at(observation.id, `${observation.tool}: ${observation.content}`)),
    ];
    return {
      why: `The model called ${evidence.length} times a tool that does not exist.`,
      evidence: evidence.slice(0, 3),
    };
  },
};

export const malformedActions: TriageRule = {
  name: 'malformed-actions',
  layer: 'model',
  symptom: 'weak-model',
  applies(facts) {
    const { ended } = facts.attempt;
    if (ended.type !== 'fault' || ended.fault !== 'too-many-faults') return undefined;
    const invalid = facts.events('turn.invalid').map(({ id, why }) => at(id, why));
    const refused = facts.events('tool.refused').map(({ id, tool, why }) => at(id, `${tool}: ${why}`));
    return {
      why: 'Too many replies were no valid action.',
      evidence: [...invalid, ...refused, at('attempt.ended', ended.detail)].slice(0, 3),
    };
  },
};

/** It found its way to a real tool in the end. */
function recovered({ ok, answer }: Facts): boolean {
  return ok.length > 0 && answer !== undefined;
}
