import type { Draws } from './draws.ts';
import type { ConditionRule, TaskLanguage } from './generated-task.ts';

/** A condition of a task: how an answer that keeps it is dressed, and how one that drops it looks. */
export interface Condition {
  text: string;
  rule: ConditionRule;
  dress(answer: string): string;
  broken(answer: string): string;
}

/** What a condition may be about. */
export interface ConditionMatter {
  language: TaskLanguage;
  /** An answer as it will be, for its length. */
  sample: string;
  /** A text that an answer does not hold by itself, and a true sentence that holds it. */
  avoided: { text: string; sentence: string };
  /** What matters of the right answer, in no language. */
  gist: string;
}

const asIs = (answer: string): string => answer;

const fillers: Record<TaskLanguage, string> = {
  en: 'This was taken from the documents that the search returned, which were read from the first line to the last before anything was worked out.',
  zh: '以上内容取自检索得到的文件，动手计算之前已经从第一行到最后一行逐字读过一遍。',
};

/** One condition, drawn. */
export function drawCondition(draws: Draws, matter: ConditionMatter): Condition {
  return draws.pick([lengthLimit, included, excluded, inLanguage])(matter);
}

function lengthLimit({ language, sample }: ConditionMatter): Condition {
  const broken = (answer: string): string => `${answer} ${fillers[language]}`;
  if (language === 'zh') {
    const characters = Math.ceil((sample.length + 6) / 5) * 5;
    return {
      text: `回答不超过 ${characters} 个字。`,
      rule: { type: 'at-most-characters', characters },
      dress: asIs,
      broken,
    };
  }
  const words = Math.ceil((sample.split(/\s+/).length + 5) / 5) * 5;
  return { text: `Answer in at most ${words} words.`, rule: { type: 'at-most-words', words }, dress: asIs, broken };
}

function included({ language }: ConditionMatter): Condition {
  const text = language === 'zh' ? '仅供参考' : 'no guarantee';
  return {
    text: language === 'zh' ? `回答中必须出现“${text}”。` : `The answer must contain the words "${text}".`,
    rule: { type: 'include', text },
    dress: (answer) => `${answer} (${text})`,
    broken: asIs,
  };
}

function excluded({ language, avoided }: ConditionMatter): Condition {
  return {
    text: language === 'zh' ? `回答中不要提到“${avoided.text}”。` : `Do not mention "${avoided.text}" in the answer.`,
    rule: { type: 'exclude', text: avoided.text },
    dress: asIs,
    broken: (answer) => `${answer} ${avoided.sentence}`,
  };
}

function inLanguage({ language, gist }: ConditionMatter): Condition {
  return {
    text: language === 'zh' ? '用中文回答。' : 'Answer in English.',
    rule: { type: 'language', language },
    dress: asIs,
    broken: () =>
      language === 'zh'
        ? `The documents were searched and read, and what came of it in the end is this: ${gist}.`
        : `查阅并核对了有关文件以后，最后得到的结果是这样的：${gist}。`,
  };
}
