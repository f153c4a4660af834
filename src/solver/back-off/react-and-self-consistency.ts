import { type ReactOptions, react } from '../react/react.ts';
import { chainOfThought } from '../self-consistency/chain-of-thought.ts';
import { type SelfConsistencyOptions, selfConsistency } from '../self-consistency/self-consistency.ts';
import type { NamedSolver } from '../solver.ts';
import { backOff } from './back-off.ts';
import { belowHalf, unanswered } from './rules.ts';

export interface CombinedOptions {
  react?: ReactOptions;
  /** Default: 21 samples, as in the paper. */
  selfConsistency?: Omit<SelfConsistencyOptions, 'adaptive'>;
}

/** Samples of the paper's CoT-SC (Yao et al. 2023, section 3.2). */
const paperSamples = 21;

/** ReAct, and where it does not come to an answer in its steps, the majority of chains of thought (Yao et al. 2023, section 3.3, A). */
export function reactThenSelfConsistency(options: CombinedOptions = {}): NamedSolver {
  return backOff({ from: react(options.react), to: sampledThought(options), when: unanswered });
}

/** The majority of chains of thought, and where fewer than half agree, ReAct (Yao et al. 2023, section 3.3, B). */
export function selfConsistencyThenReact(options: CombinedOptions = {}): NamedSolver {
  return backOff({ from: sampledThought(options), to: react(options.react), when: belowHalf });
}

function sampledThought(options: CombinedOptions): NamedSolver {
  const layer = selfConsistency({ samples: paperSamples, ...options.selfConsistency });
  return { name: 'self-consistency', config: layer.config, solve: layer.wrap(chainOfThought().solve) };
}
