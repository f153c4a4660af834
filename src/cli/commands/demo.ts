import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import { type Command, type CommandContext, printJson, switchOption, textOption } from '../command.ts';
import { type DemoModel, demoDocs, demoLimits, demoModel } from '../demo-sample.ts';
import { type DemoLanguage, demoTexts } from '../demo-texts.ts';
import { openLessons } from '../engine.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName, shortId } from '../hints.ts';
import { openArchive } from '../home.ts';
import { resultJson } from '../result-text.ts';
import { runSession, tellResult } from '../run-session.ts';
import { type Settings, settingsJson } from '../settings.ts';
import { pad, widthOf } from '../width.ts';

interface Told {
  result: Result;
  events: readonly RunEvent[];
}

/** `assay demo`: the whole pipeline on a bundled sample, then once more with the lesson it left. */
export const command: Command = async (asked) => {
  // It is meant to be seen on this machine, whatever engine its runs have otherwise.
  const context: CommandContext = { ...asked, home: { ...asked.home, engine: { name: 'sqlite' } } };
  const language = textOption(context, 'lang') ?? 'en';
  const languages: DemoLanguage[] = language === 'both' ? ['en', 'zh'] : [language === 'zh' ? 'zh' : 'en'];
  const model = await demoModel(textOption(context, 'model'));
  const told: Told[] = [];
  let worst: ExitCode = exitCodes.completed;
  for (const spoken of languages) {
    const code = await demonstrate(spoken, { model, told, context });
    if (code === exitCodes.interrupted) return code;
    worst = worst === exitCodes.completed ? code : worst;
  }
  if (context.json)
    printJson(context, {
      model: model.id,
      scripted: model.scripted,
      runs: told.map(({ result }) => resultJson(result)),
    });
  return worst;
};

interface Demo {
  model: DemoModel;
  told: Told[];
  context: CommandContext;
}

async function demonstrate(language: DemoLanguage, demo: Demo): Promise<ExitCode> {
  const { context, model } = demo;
  const { screen } = context;
  const texts = demoTexts[language];
  const scope = `demo-${language}`;
  await forgetEarlier(scope, context);
  screen.note(screen.style.bold(model.scripted ? texts.scripted : texts.live(model.id)));
  const settings: Settings = { model: model.id, docs: demoDocs(language), scope };
  const titles = switchOption(context, 'once') ? [texts.firstRun] : [texts.firstRun, texts.secondRun];
  const before = demo.told.length;
  let code: ExitCode = exitCodes.completed;
  for (const title of titles) {
    screen.note(`\n${screen.style.bold(`── ${title}`)}\n`);
    code = await runOnce(texts.question, settings, demo);
    if (code !== exitCodes.completed) break;
  }
  if (code !== exitCodes.interrupted) closing(language, demo.told.slice(before), demo);
  return code;
}

async function runOnce(question: string, settings: Settings, { context, told }: Demo): Promise<ExitCode> {
  let result: Result | undefined;
  const code = await runSession(
    {
      settings,
      introduced: true,
      begin: (agent) => agent.run(question, { budget: demoLimits, settings: settingsJson(settings) }),
      tell: (ended) => {
        result = ended;
        if (!context.json) tellResult(ended, context);
      },
    },
    context,
  );
  if (result) told.push({ result, events: await eventsOf(result.runId, context) });
  return code;
}

async function eventsOf(runId: string, context: CommandContext): Promise<readonly RunEvent[]> {
  const archive = await openArchive(context.home);
  try {
    return await archive.events.read(runId);
  } finally {
    await archive.close();
  }
}

/** The story begins without memory: lessons of an earlier demo are forgotten, others are not touched. */
async function forgetEarlier(scope: string, context: CommandContext): Promise<void> {
  const store = await openLessons(context.home.lessons);
  try {
    for (const lesson of await store.list({ scope, status: 'active' })) await store.forget(lesson.id);
  } finally {
    await store.close();
  }
}

/** What was seen, from the facts of the runs, and what to type next. */
function closing(language: DemoLanguage, told: readonly Told[], { model, context }: Demo): void {
  const { screen } = context;
  const texts = demoTexts[language];
  const [first, second] = told;
  if (!first) return;
  const kept = first.events.some((event) => event.type === 'lesson.admitted' && event.admitted);
  const recalled = second?.events.some((event) => event.type === 'lesson.recalled' && event.lessons.length > 0);
  const name = commandName();
  const steps: [string, string][] = [
    [`${name} show ${shortId(first.result.runId)} --events`, texts.look],
    [`${name} lessons`, texts.memory],
    [`${name} serve --demo`, texts.page],
    [`${name} run "..." --docs DIR`, texts.own],
    ...(model.scripted ? [[`${name} models`, texts.model] satisfies [string, string]] : []),
  ];
  const widest = Math.max(...steps.map(([typed]) => widthOf(typed)));
  const { bold, dim, cyan } = screen.style;
  const text = [
    '',
    bold(texts.happened),
    `  ${texts.answered(first.result.status.replaceAll('_', ' '), first.result.attempt.revisions)}`,
    `  ${kept ? texts.kept : texts.notKept}${recalled ? ` ${texts.recalled}` : ''}`,
    ...(second ? [`  ${texts.compared(first.result.usage, second.result.usage)}`] : []),
    bold(texts.next),
    ...steps.map(([typed, what]) => `  ${cyan(pad(typed, widest))}  ${dim(what)}`),
  ];
  screen.note(text.join('\n'));
}
