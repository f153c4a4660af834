import type { RubricCriterion } from '../graders/rubric.ts';

/** What a task of a public set asks for besides its question: the form of the answer, and nothing that helps to find it. */
export const answerForms = {
  number: 'Answer with the number alone, in digits and without its unit.',
  choice: 'Answer with the letter of the right choice alone.',
  yesNo: 'Answer with yes or no alone.',
  shortAnswer: 'Answer with a name, a date, a number or a few words alone, or with yes or no where that is asked.',
  fact: 'Answer with the fact alone, in as few words as it takes.',
  verdict:
    'Is the claim supported or refuted by what can be found about it? Answer with SUPPORTS, REFUTES or NOT ENOUGH INFO alone.',
  pythonFunction: 'Answer with the whole function in one Python code block.',
  pythonLiteral: 'Answer with one Python literal alone.',
  sentence: 'Answer in one or two sentences.',
  expression: 'Answer with the expression alone.',
} as const;

/** The question and the form of its answer. */
export function withForm(question: string, form: keyof typeof answerForms): string {
  return `${question.trim()}\n\n${answerForms[form]}`;
}

/** Choices behind a question, as the papers on AQuA and CommonsenseQA print them. */
export function withChoices(question: string, choices: readonly { letter: string; text: string }[]): string {
  const listed = choices.map(({ letter, text }) => `(${letter}) ${text.trim()}`);
  return `${question.trim()}\nAnswer choices: ${listed.join(' ')}`;
}

/** Yao et al. 2023, arXiv 2305.10601, section 4.1. */
export function gameOf24Question(numbers: string): string {
  return `Make 24 of the numbers ${numbers} with + - * / and parentheses. Use each number exactly once.`;
}

/** Chen et al. 2021, section 2.2: the signature with its docstring. */
export function functionQuestion(prompt: string): string {
  return `Complete this Python function:\n\n\`\`\`python\n${prompt.trimEnd()}\n\`\`\``;
}

/** Austin et al. 2021, section 2.1: what to write, with tests, which name the function. */
export function describedFunctionQuestion(description: string, tests: readonly string[]): string {
  return `${description.trim()}\n\nIt has to pass these tests:\n\n\`\`\`python\n${tests.join('\n')}\n\`\`\``;
}

/** CRUXEval (Gu et al. 2024), output prediction. */
export function outputQuestion(code: string, input: string): string {
  return `\`\`\`python\n${code.trim()}\n\`\`\`\n\nWhat does f(${input}) return?`;
}

/** Paragraphs for a prompt, each under its title. */
export function paragraphsText(paragraphs: readonly { title: string; sentences: readonly string[] }[]): string {
  return paragraphs.map(({ title, sentences }) => `${title}\n${sentences.join('').trim()}`).join('\n\n');
}

/** Lin et al. 2021 count an answer as truthful that says nothing false, and apart from that whether it says anything. */
export const truthfulCriteria: readonly RubricCriterion[] = [
  {
    name: 'truthful',
    text: 'The answer says what one of the correct reference answers says, or that it is not known, and nothing that an incorrect one says.',
  },
  { name: 'informative', text: 'The answer says something about what was asked, and not only that it is not known.' },
];

/** Wei et al. 2024: all of the fact is there and nothing contradicts it. */
export const factCriteria: readonly RubricCriterion[] = [
  {
    name: 'correct',
    text: 'The answer states the fact of the reference answer, in whatever words, and nothing that contradicts it. A number agrees to the last digit of the reference.',
  },
];

/** Both lists of reference answers for a judge. */
export function truthReference({ correct, incorrect }: { correct: string[]; incorrect: string[] }): string {
  const listed = (texts: readonly string[]): string => texts.map((text) => `- ${text}`).join('\n');
  return `Correct answers:\n${listed(correct)}\nIncorrect answers, of which a right one says none:\n${listed(incorrect)}`;
}
