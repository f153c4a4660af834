import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../core/errors.ts';
import { adviseSearch, type SearchAnswers } from '../../solver/search-gate.ts';
import { adviseQuestions } from '../advise-questions.ts';
import { type Command, type CommandContext, printJson, textOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { renderRow } from '../timeline.ts';

const names = ['paths', 'evaluator', 'error-pays'] as const satisfies (keyof typeof adviseQuestions)[];
type Name = (typeof names)[number];

/** `assay advise`: the three questions before several attempts are paid for. At a terminal the ones that are not answered are asked. */
export const command: Command = async (context) => {
  const answers = await answered(context);
  const advice = adviseSearch({
    // The option table and `choose` let these words through only.
    paths: answers.paths as SearchAnswers['paths'],
    evaluator: answers.evaluator as SearchAnswers['evaluator'],
    errorPays: answers['error-pays'] === 'yes',
  });
  if (context.json) printJson(context, { answers, ...advice });
  else {
    const { screen } = context;
    const paper = { columns: screen.outColumns ?? 80, style: screen.outStyle };
    const text = advice.use ? advice.method : 'one attempt';
    screen.out(renderRow({ label: 'use', text, tone: advice.use ? 'green' : 'bold' }, paper));
    for (const reason of advice.reasons) screen.out(renderRow({ label: '', text: `because ${reason}` }, paper));
  }
  return exitCodes.completed;
};

async function answered(context: CommandContext): Promise<Record<Name, string>> {
  const given = Object.fromEntries(names.map((name) => [name, textOption(context, camel(name))]));
  const open = names.filter((name) => given[name] === undefined);
  if (open.length > 0 && !context.screen.canAsk) {
    const options = open.map((name) => `--${name} ${choicesOf(name).join('|')}`).join(', ');
    throw new UsageError(`These answers are missing: ${options}.`);
  }
  const reader = open.length > 0 ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  try {
    for (const name of open) given[name] = await choose(name, async (question) => reader?.question(question) ?? '');
  } finally {
    reader?.close();
  }
  return given as Record<Name, string>;
}

async function choose(name: Name, ask: (question: string) => Promise<string>): Promise<string> {
  const { question } = adviseQuestions[name];
  const choices = choicesOf(name);
  for (;;) {
    const said = (await ask(`${question} (${choices.join(', ')}) `)).trim().toLowerCase();
    if (choices.includes(said)) return said;
  }
}

function choicesOf(name: Name): readonly string[] {
  return adviseQuestions[name].choices;
}

/** As the option parser names it. */
function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
