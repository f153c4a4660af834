import { significantLength, standsIn } from '../checks/quote-text.ts';
import type { Claim, Observation } from '../core/attempt.ts';

/** Whether every quote of the claim stands in the ok observation it names. Looked up here, whatever layers ran: a bare loop is measured by the same rule. */
export function isSupported({ evidence }: Claim, observations: readonly Observation[]): boolean {
  const found = evidence.every(({ observation, quote }) =>
    observations.some(({ id, status, content }) => id === observation && status === 'ok' && standsIn(quote, content)),
  );
  return found && evidence.length > 0 && evidence.every(({ quote }) => significantLength(quote) > 0);
}
