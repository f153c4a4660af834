import type { SearchProblem, Thought } from './problem.ts';

/** The work on a plain task: its steps as text, the last of which may give the answer. */
export interface ThoughtSteps {
  steps: readonly Thought[];
}

const untouched = '(nothing yet)';

/** A plain task as a tree of steps in words. Code knows nothing of them but which are the same, so a model has to judge. */
export const thoughtSteps: SearchProblem<ThoughtSteps> = {
  name: 'thought-steps',
  initial: () => ({ steps: [] }),
  key: ({ steps }) => steps.map(({ text }) => text.toLowerCase().replace(/\s+/g, ' ').trim()).join('\n'),
  render: ({ steps }) => {
    const lines = steps.map(({ text, answer }, index) => `${index + 1}. ${text}${answer ? `\nAnswer: ${answer}` : ''}`);
    return lines.join('\n') || untouched;
  },
  answer: ({ steps }) => steps.at(-1)?.answer,
  isComplete: ({ steps }) => steps.at(-1)?.answer !== undefined,
  extend: ({ steps }, thought) => ({ steps: [...steps, thought] }),
};
