import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf, UsageError } from '../../core/errors.ts';
import { Lesson } from '../../core/lesson.ts';
import type { LessonChange, LessonStore } from '../../memory/memory.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, numberOption, printJson, switchOption, textOption } from '../command.ts';
import { openLessons } from '../engine.ts';
import { exitCodes } from '../exit-codes.ts';
import { age, plural } from '../numbers.ts';
import type { Row } from '../row.ts';
import { renderRow } from '../timeline.ts';

/** `assay lessons …`: what earlier runs taught, to look at, to correct, to drop, to carry elsewhere. */
export const command: Command = async (context) => {
  const [action = 'list', target] = context.args;
  const store = await openLessons(context.home.lessons);
  const does = actions[action];
  // The argument table lets the known actions through only.
  if (!does) throw new UsageError(`lessons has no action '${action}'. Choose from ${Object.keys(actions).join(', ')}.`);
  try {
    await does(store, target, context);
    return exitCodes.completed;
  } finally {
    await store.close();
  }
};

type Action = (store: LessonStore, target: string | undefined, context: CommandContext) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  list: async (store, _target, context) => {
    const lessons = await chosen(store, context);
    if (context.json) printJson(context, lessons);
    else if (lessons.length === 0) context.screen.note('No lessons yet. A run that mends its answer leaves one.');
    for (const row of context.json ? [] : lessons.flatMap(shortRows)) print(row, context);
    const apart = (await store.list({ status: 'quarantined' })).length;
    if (apart > 0) {
      context.screen.note(
        `${plural(apart, 'lesson')} may come from a stranger: see \`assay lessons --status quarantined\`.`,
      );
    }
  },
  show: async (store, target, context) => {
    const lesson = await find(store, target);
    if (context.json) printJson(context, lesson);
    else for (const row of fullRows(lesson)) print(row, context);
  },
  edit: async (store, target, context) => {
    const { id } = await find(store, target);
    const change = changeOf(context);
    if (Object.keys(change).length === 0) {
      throw new UsageError(
        `Say what to change: --trigger, --failure, --lesson, --avoid TEXT, --days N, or --status active to put ${id} in use.`,
      );
    }
    const changed = await store.edit(id, change, Date.now());
    // It was there when it was looked up, so all that is left of it is its place.
    if (!changed)
      throw new UsageError(`${id} was forgotten, and nothing is left to edit. \`assay lessons\` lists the others.`);
    if (context.json) printJson(context, changed);
    else for (const row of fullRows(changed)) print(row, context);
  },
  forget: async (store, target, context) => {
    const { id } = await find(store, target);
    await store.forget(id);
    done(context, { forgotten: id }, `Forgotten: ${id}`);
  },
  expire: async (store, target, context) => {
    const { id } = await find(store, target);
    await store.expire(id, Date.now());
    done(context, { expired: id }, `Expired, kept for the record: ${id}`);
  },
  export: async (store, target, context) => {
    const lessons = await chosen(store, context);
    const lines = lessons.map((lesson) => JSON.stringify(lesson)).join('\n');
    if (target === undefined || target === '-') {
      // JSON Lines are JSON for a program already; --json wants one value.
      if (context.json) printJson(context, lessons);
      else if (lines !== '') context.screen.out(lines);
      return;
    }
    write(target, lines === '' ? '' : `${lines}\n`);
    done(
      context,
      { exported: lessons.length, file: target },
      `${plural(lessons.length, 'lesson')} written to ${target}`,
    );
  },
  import: async (store, target, context) => {
    const read = readLessons(target);
    const added = await store.restore(read);
    done(
      context,
      { added, known: read.length - added },
      `${plural(added, 'lesson')} added, ${read.length - added} known already`,
    );
  },
};

const dayMs = 86_400_000;

/** What the options change of a lesson. */
function changeOf(context: CommandContext): LessonChange {
  const [trigger, failurePattern, lesson, avoid] = ['trigger', 'failure', 'lesson', 'avoid'].map((name) =>
    textOption(context, name),
  );
  const days = numberOption(context, 'days');
  if (days !== undefined && !(days > 0))
    throw new UsageError('--days needs a number above 0. `assay lessons expire` ends a lesson now.');
  const status = textOption(context, 'status');
  if (status !== undefined && status !== 'active') {
    throw new UsageError('edit can only put a lesson in use: --status active. Use expire or forget to end it.');
  }
  return {
    ...(trigger !== undefined && { trigger }),
    ...(failurePattern !== undefined && { failurePattern }),
    ...(lesson !== undefined && { lesson }),
    ...(avoid !== undefined && { avoid }),
    ...(days !== undefined && { expires: Date.now() + days * dayMs }),
    ...(status !== undefined && { status }),
  };
}

/** The lessons that the options name; without a status those that are in use. */
async function chosen(store: LessonStore, context: CommandContext): Promise<Lesson[]> {
  const scope = textOption(context, 'scope');
  // The option table lets the words through only.
  const status = textOption(context, 'status') as Lesson['status'] | undefined;
  const all = switchOption(context, 'all');
  return store.list({ ...(scope !== undefined && { scope }), ...(!all && { status: status ?? 'active' }) });
}

async function find(store: LessonStore, named: string | undefined): Promise<Lesson> {
  if (named === undefined)
    throw new UsageError('Name the lesson by its id, or by the start of it. `assay lessons` lists them.');
  const exact = await store.get(named);
  if (exact) return exact;
  const fitting = (await store.list()).filter((lesson) => lesson.id.startsWith(named));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  if (fitting.length === 0) throw new UsageError(`There is no lesson '${named}'. \`assay lessons --all\` lists them.`);
  throw new UsageError(
    `'${named}' is the start of ${fitting.length} lessons: ${fitting.map(({ id }) => id).join(', ')}.`,
  );
}

function shortRows(lesson: Lesson): Row[] {
  return [
    { label: lesson.status, text: cleanLine(lesson.lesson), tone: 'bold' },
    { label: '', text: `when: ${cleanLine(lesson.trigger)}` },
    { label: '', text: record(lesson), tone: 'dim' },
    ...(lesson.status === 'quarantined' ? [{ label: '', text: cleanLine(lesson.why), tone: 'yellow' as const }] : []),
    ...conflictRows(lesson),
    { label: '', text: lesson.id, tone: 'dim' },
  ];
}

function fullRows(lesson: Lesson): Row[] {
  return [
    { label: 'lesson', text: cleanLine(lesson.lesson), tone: 'bold' },
    { label: 'when', text: cleanLine(lesson.trigger) },
    { label: 'failure', text: cleanLine(lesson.failurePattern) },
    { label: 'avoid', text: cleanLine(lesson.avoid) },
    { label: 'status', text: `${lesson.status}, ${record(lesson)}, scope ${cleanLine(lesson.scope)}` },
    { label: 'because', text: cleanLine(lesson.why) },
    ...conflictRows(lesson),
    ...appliesRows(lesson),
    { label: 'expires', text: new Date(lesson.expires).toISOString().slice(0, 10) },
    { label: 'from run', text: cleanLine(lesson.source) },
    ...lesson.evidence.map(({ run, says }) => ({
      label: '',
      text: `${cleanLine(run)} ${says} it`,
      tone: 'dim' as const,
    })),
    { label: 'id', text: lesson.id, tone: 'dim' },
  ];
}

function conflictRows({ conflicts }: Lesson): Row[] {
  return conflicts.map((id) => ({ label: 'conflict', text: `says the opposite of ${id}`, tone: 'yellow' }));
}

function appliesRows({ applies }: Lesson): Row[] {
  const { taskKind, model, tools = [] } = applies;
  const bounds = [
    ...(taskKind === undefined ? [] : [`tasks of the kind ${taskKind}`]),
    ...(model === undefined ? [] : [`the model ${model}`]),
    ...tools.map((tool) => `the tool ${tool}`),
  ];
  return bounds.length === 0 ? [] : [{ label: 'only for', text: cleanLine(bounds.join(', ')) }];
}

function record({ uses, wins, losses, created }: Lesson): string {
  return `${plural(uses, 'use')}, ${wins} won, ${losses} lost, ${age(Date.now() - created)} old`;
}

function print(row: Row, { screen }: CommandContext): void {
  screen.out(renderRow(row, { columns: screen.outColumns ?? 80, style: screen.outStyle }));
}

function done(context: CommandContext, value: unknown, text: string): void {
  if (context.json) printJson(context, value);
  else context.screen.out(text);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${messageOf(error)}). Name a file in an existing folder.`);
  }
}

/** The lessons of an export, all or none: a broken line is told with its number. */
function readLessons(file: string | undefined): Lesson[] {
  if (file === undefined) throw new UsageError('Name the file to import: assay lessons import FILE');
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read (${messageOf(error)}). Name a file that \`assay lessons export\` wrote.`,
    );
  }
  return text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [lessonOf(line, `${file}, line ${index + 1}`)]));
}

function lessonOf(line: string, place: string): Lesson {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new UsageError(
      `${place}: no JSON (${messageOf(error)}). Nothing was imported; correct the line or export again.`,
    );
  }
  const parsed = Lesson.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UsageError(
    `${place}: no lesson (${issue?.path.join('.') || 'the value'}: ${issue?.message}). Nothing was imported; correct the line or export again.`,
  );
}
