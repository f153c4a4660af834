/**
 * Failures that no mechanism of the agent mends: services, permissions, missing data, limits. A provider that refuses the key, limits the
 * rate or fails (401, 429, 5xx) counts here: the same model would have answered elsewhere. What it refuses for its own sake (a context too
 * long, a filtered request) is the model's.
 */
import type { Facts, Seen } from '../facts.ts';
import { at, type Finding, type TriageRule } from '../rule.ts';
import { isAbsent, isEmptyResult, looksUp, tellsOutage } from '../signs.ts';
import { refusesRequest } from './model.ts';

export const awaitingApproval: TriageRule = {
  name: 'awaiting-approval',
  layer: 'environment',
  symptom: 'not-permitted',
  applies({ run, events }) {
    if (run.status !== 'awaiting_approval') return undefined;
    const asked = events('approval.requested').at(-1);
    const what = asked
      ? `${asked.tool} ${JSON.stringify(asked.args)}: ${asked.why}`
      : (run.reason?.detail ?? 'awaiting_approval');
    return { why: 'The run waits for a human to approve a call.', evidence: [at(asked?.id ?? 'status', what)] };
  },
};

export const interrupted: TriageRule = {
  name: 'interrupted',
  layer: 'environment',
  symptom: 'service-failed',
  applies({ run, attempt: { ended }, answer }) {
    const stopped = run.status === 'cancelled' || (ended.type === 'limit' && ended.limit === 'interrupted');
    if (!stopped || answer !== undefined || run.unknownEnding) return undefined;
    const said = run.reason?.detail ?? (ended.type === 'final' ? 'cancelled' : ended.detail);
    if (run.error !== undefined || run.reason?.code === 'error')
      return { why: 'The run broke before it had an answer.', evidence: [at('error', run.error ?? said)] };
    return { why: 'The run was interrupted from outside before it had an answer.', evidence: [at('status', said)] };
  },
};

export const providerFailed: TriageRule = {
  name: 'provider-failed',
  layer: 'environment',
  symptom: 'service-failed',
  applies({ run, attempt: { ended }, answer, events }) {
    const broke = ended.type === 'fault' && ended.fault === 'model-error' ? ended.detail : undefined;
    const pasted = answer === undefined && run.error !== undefined && tellsOutage(run.error) ? run.error : undefined;
    const detail = broke ?? pasted;
    if (detail === undefined || refusesRequest(detail)) return undefined;
    const call = events('model.call').findLast(({ outcome }) => outcome === 'error');
    return {
      why: 'The provider of the model did not answer; nothing the model said is at fault.',
      evidence: [at(call?.id ?? (broke === undefined ? 'error' : 'attempt.ended'), detail)],
    };
  },
};

/** Calls that failed and were not made good by a later one of the same tool with the same arguments. */
function unmended(facts: Facts): Seen[] {
  return facts.failed.filter(
    (seen) => !facts.ok.some((other) => other.key === seen.key && facts.seen.indexOf(other) > facts.seen.indexOf(seen)),
  );
}

/** Nothing that was read holds what was sought, or there is no answer at all. */
export function isWithoutData({ sought, holding, answer, rightAnswer }: Facts): boolean {
  return answer === undefined || (!rightAnswer && (sought.length === 0 || holding.length === 0));
}

export const toolUnreachable: TriageRule = {
  name: 'tool-unreachable',
  layer: 'environment',
  symptom: 'service-failed',
  applies(facts) {
    if (!isWithoutData(facts)) return undefined;
    const broken = unmended(facts).filter(
      ({ observation }) => observation.status === 'timeout' || tellsOutage(observation.content),
    );
    const [first] = broken;
    const lookups = facts.ok.filter((seen) => looksUp(seen) && !isEmptyResult(seen));
    if (!first || broken.length < lookups.length) return undefined;
    return {
      why: `The tool ${first.observation.tool} could not be reached (${broken.length} call(s)), so what the answer needs never came.`,
      evidence: broken
        .slice(0, 3)
        .map(({ observation }) => at(observation.id, `${observation.status}: ${observation.content}`)),
    };
  },
};

/** Refusals by a policy or a human, with where they stand. */
function denials({ seen, events }: Facts): { where: string; text: string }[] {
  const refused = events('tool.refused').filter(({ cause }) => cause === 'denied');
  const denied = seen.filter(
    ({ observation }) => observation.status === 'denied' && !/the limit .+ is used up/.test(observation.content),
  );
  return [
    ...denied.map(({ observation }) => ({
      where: observation.id,
      text: `${observation.tool}: ${observation.content}`,
    })),
    ...refused.map(({ id, tool, why }) => ({ where: id, text: `${tool}: ${why}` })),
  ];
}

/** A denial counts where nothing was read after it: a run that went on another way did not fail by it. */
export const notPermitted: TriageRule = {
  name: 'call-denied',
  layer: 'environment',
  symptom: 'not-permitted',
  applies(facts) {
    const denied = denials(facts);
    if (denied.length === 0 || !isWithoutData(facts)) return undefined;
    const last = facts.run.events.findLastIndex(
      (event) =>
        (event.type === 'tool.refused' && event.cause === 'denied') ||
        (event.type === 'tool.result' && event.status === 'denied'),
    );
    const wentOn = facts.run.events
      .slice(last + 1)
      .some((event) => event.type === 'tool.result' && event.status === 'ok');
    if (last >= 0 && wentOn && facts.answer !== undefined) return undefined;
    return {
      why: 'A call that the task needs was denied by the policy or by a human.',
      evidence: denied.slice(0, 3).map(({ where, text }) => at(where, text)),
    };
  },
};

export const dataNotThere: TriageRule = {
  name: 'data-not-there',
  layer: 'environment',
  symptom: 'data-not-there',
  applies(facts) {
    const lookups = facts.ok.filter(looksUp);
    const empty = lookups.filter(isAbsent);
    if (empty.length < 2 || new Set(empty.map(({ key }) => key)).size < 2 || !isWithoutData(facts)) return undefined;
    // What the tool holds of other things does not make it hold this.
    if (lookups.length > empty.length && lookups.at(-1) !== empty.at(-1)) return undefined;
    if (lookups.length - empty.length > 1) return undefined;
    return {
      why: `The tools were asked ${empty.length} times in different words and hold nothing on it.`,
      evidence: empty
        .slice(0, 3)
        .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
    };
  },
};

export const limitTooSmall: TriageRule = {
  name: 'limit-without-loop',
  layer: 'environment',
  symptom: 'limit-too-small',
  applies({ run, attempt: { ended, degraded }, answer }): Finding | undefined {
    if (run.unknownEnding) return undefined;
    if (ended.type !== 'limit' || ended.limit === 'no-progress' || (answer !== undefined && !degraded))
      return undefined;
    return {
      why: `The limit ${ended.limit} ended the run before it had an answer, and nothing shows that it went round in circles.`,
      evidence: [at('attempt.ended', ended.detail)],
    };
  },
};
