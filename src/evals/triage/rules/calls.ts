/** Failures of acting: calls that loop, fail or bring nothing. */

import type { Seen } from '../facts.ts';
import { at, type TriageRule } from '../rule.ts';
import { isEmptyResult, looksUp, tellsOutage } from '../signs.ts';
import { isWithoutData } from './environment.ts';

/** So often the same call with the same outcome is a loop, as in the guard of the loop. */
const repetitions = 2;

export const toolErrorLoop: TriageRule = {
  name: 'tool-error-loop',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    if (!isWithoutData(facts)) return undefined;
    const blocked = facts.events('tool.refused').filter(({ cause }) => cause === 'repeat');
    const groups = Map.groupBy(
      facts.failed.filter(({ observation }) => observation.status === 'error' && !tellsOutage(observation.content)),
      ({ key, observation }) => `${key}\n${observation.content}`,
    );
    const [worst] = [...groups.values()].toSorted((a, b) => b.length - a.length);
    const [first] = worst ?? [];
    if (!worst || !first || worst.length + blocked.length <= repetitions - 1 || worst.length < repetitions)
      return undefined;
    return {
      why: `The same call of ${first.observation.tool} failed ${worst.length} times in the same way${blocked.length > 0 ? ' and was blocked' : ''}; nothing was changed in between.`,
      evidence: [
        ...worst
          .slice(0, 2)
          .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
        ...blocked.slice(0, 1).map(({ id, tool, why }) => at(id, `${tool}: ${why}`)),
      ],
    };
  },
};

export const repeatedCall: TriageRule = {
  name: 'repeated-call',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    const { ended } = facts.attempt;
    const groups = Map.groupBy(facts.ok, ({ key, observation }) => `${key}\n${observation.content}`);
    const worst = [...groups.values()].find((group) => group.length >= repetitions);
    const [first] = worst ?? [];
    const stopped =
      ended.type === 'limit' && (ended.limit === 'no-progress' || ended.limit === 'steps' || facts.run.unknownEnding);
    if (!worst || !first || !stopped || !isWithoutData(facts)) return undefined;
    return {
      why: `The same call of ${first.observation.tool} was made ${worst.length} times and brought the same each time.`,
      evidence: worst
        .slice(0, 3)
        .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
    };
  },
};

export const noProgress: TriageRule = {
  name: 'no-progress',
  layer: 'act',
  symptom: 'tool-misuse',
  applies({ attempt: { ended }, seen, events, answer }) {
    if (ended.type !== 'limit' || ended.limit !== 'no-progress' || answer !== undefined) return undefined;
    const refused = events('tool.refused').at(-1);
    const last = seen.at(-1);
    return {
      why: 'The run went on calling tools that brought nothing new.',
      evidence: [
        at('attempt.ended', ended.detail),
        ...(refused ? [at(refused.id, `${refused.tool}: ${refused.why}`)] : []),
        ...(last ? [at(last.observation.id, last.observation.content)] : []),
      ],
    };
  },
};

/** Most lookups came back empty or with an error that names no outage, and the run ended without an answer. */
export const lookupsInVain: TriageRule = {
  name: 'lookups-in-vain',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    const { ended } = facts.attempt;
    if (facts.answer !== undefined || ended.type !== 'limit') return undefined;
    const lookups = facts.seen.filter(looksUp);
    const vain = lookups.filter(isInVain);
    if (vain.length < 2 || vain.length * 2 < lookups.length) return undefined;
    return {
      why: `${vain.length} of ${lookups.length} lookups found nothing under the words they used, and there was no answer in the end.`,
      evidence: vain
        .slice(0, 3)
        .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
    };
  },
};

function isInVain(seen: Seen): boolean {
  const { status, content } = seen.observation;
  return isEmptyResult(seen) || (status === 'error' && !tellsOutage(content));
}

export const callsAllFail: TriageRule = {
  name: 'calls-all-fail',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    const wrong = facts.failed.filter(
      ({ observation }) => !tellsOutage(observation.content) && observation.status === 'error',
    );
    const [first] = wrong;
    if (!first || facts.ok.some(looksUp) || !isWithoutData(facts)) return undefined;
    return {
      why: `Every call of ${first.observation.tool} was wrong, so nothing was read.`,
      evidence: wrong
        .slice(0, 3)
        .map(({ observation }) => at(observation.id, `${JSON.stringify(observation.args)}: ${observation.content}`)),
    };
  },
};
