import type { RunEvent, RunView, Usage } from '../api/shapes.ts';

/** What a run took so far, as its events tell it; of an ended run its Result knows better. */
export interface Totals {
  usage: Usage;
  turns: number;
  /** Undefined while nobody knows. */
  activeMs: number | undefined;
}

const none: Usage = {
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  tokens: 0,
  usd: 0,
  unpricedCalls: 0,
  estimatedCalls: 0,
};
const counted = Object.keys(none) as readonly (keyof typeof none)[];

export function totalsOf({ result }: Pick<RunView, 'result'>, events: readonly RunEvent[]): Totals {
  if (result) return { usage: result.usage, turns: result.metrics.turns, activeMs: result.metrics.activeMs };
  const usage = { ...none };
  let turns = 0;
  for (const event of events) {
    if (event.type === 'turn.start') turns++;
    if (event.type === 'tool.result') usage.toolCalls++;
    if (event.type !== 'model.call') continue;
    for (const name of counted) usage[name] = (usage[name] ?? 0) + (event.usage[name] ?? 0);
  }
  return { usage, turns, activeMs: undefined };
}
