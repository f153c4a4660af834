import type { Result } from '../../core/result.ts';
import { isSupported } from '../../solver/supported.ts';

/** A sentence of an answer with the words of tools that carry it. */
export interface CitedClaim {
  text: string;
  /** Every quote stands in the result it names. */
  supported: boolean;
  evidence: { observation: string; tool: string; quote: string }[];
}

/** The claims of a Result for somebody who has not its observations. */
export function citedClaims({ attempt }: Pick<Result, 'attempt'>): CitedClaim[] {
  return attempt.claims.map((claim) => ({
    text: claim.text,
    supported: isSupported(claim, attempt.observations),
    evidence: claim.evidence.map(({ observation, quote }) => ({
      observation,
      tool: attempt.observations.find(({ id }) => id === observation)?.tool ?? '',
      quote,
    })),
  }));
}
