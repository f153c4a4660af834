import type { Attempt, Claim, Issue, Observation } from '../core/attempt.ts';
import type { Check } from './check.ts';

/**
 * Every claim cites evidence, and every cited observation exists and is `ok`. An attempt with usable observations must
 * make claims; one without any may answer from the task alone, unless its plan says that it needs information from outside. An
 * attempt without an answer is `incomplete`.
 */
export const evidence: Check = {
  name: 'evidence',
  run(attempt) {
    if (attempt.answer === undefined)
      return [
        { type: 'incomplete', detail: 'the attempt ended without an answer', requiredAction: 'give a final answer' },
      ];
    if (attempt.claims.length === 0) return withoutClaims(attempt);
    return attempt.claims.flatMap((claim) => faultsOf(claim, attempt.observations));
  },
};

function withoutClaims({ observations, plan }: Attempt): Issue[] {
  const usable = observations.filter((observation) => observation.status === 'ok');
  if (usable.length === 0) {
    const needed = plan?.steps.find((step) => step.needsExternalInfo);
    if (!needed) return [];
    return [
      {
        type: 'incomplete',
        detail: `nothing was looked up, although the plan says that '${needed.objective}' needs information from outside`,
        requiredAction: 'look it up with a tool, or say in the answer that it could not be found',
      },
    ];
  }
  return [
    {
      type: 'unsupported_claim',
      detail: `the answer makes no claims, so that nothing ties it to what the tools returned (${idsOf(usable)})`,
      requiredAction: 'state what the answer rests on as claims, each with the observation and a quote from it',
    },
  ];
}

function faultsOf(claim: Claim, observations: Observation[]): Issue[] {
  if (claim.evidence.length === 0)
    return [unsupported(claim, 'the claim cites no evidence', 'cite an observation and quote it, or drop the claim')];
  return claim.evidence.flatMap(({ observation: id }) => {
    const cited = observations.find((observation) => observation.id === id);
    if (!cited) {
      const known = observations.length > 0 ? `the observations are ${idsOf(observations)}` : 'there are none';
      return [unsupported(claim, `the claim cites ${id}, which does not exist: ${known}`, 'cite one that exists')];
    }
    if (cited.status === 'ok') return [];
    return [
      unsupported(
        claim,
        `the claim cites ${id}, whose status is ${cited.status}: it holds no result`,
        'call the tool again, cite another observation, or drop the claim',
      ),
    ];
  });
}

function unsupported(claim: Claim, detail: string, requiredAction: string): Issue {
  return { type: 'unsupported_claim', detail, requiredAction, claim: claim.text };
}

function idsOf(observations: Observation[]): string {
  const shown = observations.slice(0, 20).map((observation) => observation.id);
  return shown.join(', ') + (observations.length > shown.length ? ', …' : '');
}
