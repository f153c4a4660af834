import { differences, differenceText } from '../../checks/difference.ts';
import type { Json } from '../../core/json.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { functionMark, misfit } from './expected.ts';
import { gradeOf } from './grade-of.ts';

export interface FinalStateOptions {
  /** `subset`: objects may have more keys than expected. Lists are compared in order, with all their items. Default `exact`. */
  match?: 'exact' | 'subset';
  /** The state that is right for a task. Default: its `expected`. */
  expect?: (task: EvalTask) => Json | undefined;
}

/** Passes when the environment was left in the expected state, whatever the answer says. `why` names the first difference. */
export function finalState({ match = 'exact', expect }: FinalStateOptions = {}): Grader {
  return {
    name: 'finalState',
    knows: 'reference',
    reads: 'state',
    config: { match, expect: expect ? functionMark(expect) : 'expected' },
    grade({ task, state }) {
      const expected = expect ? expect(task) : task.expected;
      if (expected === undefined) throw misfit(task, 'finalState', 'the expected state as JSON');
      if (state === undefined) return gradeOf(false, 'the environment left no state to compare');
      const [first, ...more] = differences(expected, state, match === 'exact');
      if (!first) return gradeOf(true, 'the state is as expected');
      return gradeOf(
        false,
        `${differenceText(first)}${more.length > 0 ? `; and ${more.length} more differences` : ''}`,
      );
    },
  };
}
