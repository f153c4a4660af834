/** Texts of training data: the question as a prompt, and the phrases of a Chain of Hindsight. */
import type { Task } from '../../core/task.ts';
import { schemaLines } from '../../solver/react/prompts.ts';

/** The task as a user would put it, for rows that do not hold the conversation. */
export function questionText(task: Task): string {
  return [task.input, ...task.constraints.map((text) => `Condition: ${text}`), ...schemaLines(task)].join('\n');
}

/** What introduces an answer. One of a list is drawn for each answer. */
export interface FeedbackPhrases {
  /** Before an answer that passed, and before one that did not. */
  positive: readonly string[];
  negative: readonly string[];
  /** Before the first answer where the later ones are compared with it. */
  opening: readonly string[];
  /** Before an answer that is better, worse or as good as the one before. */
  better: readonly string[];
  worse: readonly string[];
  equal: readonly string[];
  /** Between a phrase and the answer. */
  separator: string;
}

export const englishPhrases: FeedbackPhrases = {
  positive: ['A good answer is:', 'Good answer:', 'The following answer was checked and is right:'],
  negative: ['A bad answer is:', 'Bad answer:', 'The following answer was checked and is wrong:'],
  opening: ['An answer is:', 'One answer:'],
  better: ['A better answer is:', 'This is an improvement on it:'],
  worse: ['A worse answer is:', 'This falls short of it:'],
  equal: ['An answer that is just as good:', 'Another answer of the same quality:'],
  separator: ' ',
};

export const chinesePhrases: FeedbackPhrases = {
  positive: ['好的回答：', '一个好的回答是：', '以下回答经检验是正确的：'],
  negative: ['不好的回答：', '一个不好的回答是：', '以下回答经检验是错误的：'],
  opening: ['一个回答：', '有一个回答是：'],
  better: ['更好的回答：', '比上一个更好的回答是：'],
  worse: ['更差的回答：', '比上一个更差的回答是：'],
  equal: ['同样好的另一个回答：', '质量相同的另一个回答是：'],
  separator: '',
};
