import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { expectedModel } from '../choose-model.ts';
import { type Command, type CommandContext, printJson, switchOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Home } from '../home.ts';
import { launchFindings, reportLaunch } from '../launch/launch-findings.ts';
import { findConfig, loadConfig } from '../load-config.ts';
import { lookAtModel } from '../models/look-at-model.ts';
import { renderRow } from '../timeline.ts';

/** One thing that was looked at. `remedy` is there when it is a problem. */
interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  remedy?: string;
}

/**
 * `assay doctor`: what a run needs, each found well or with its remedy, and the six questions before going live. Creates nothing that
 * stays. The questions decide over the exit code with `--live` only: a new project has answered none of them.
 */
export const command: Command = async (context) => {
  const findings = [
    nodeVersion(),
    homeFolder(context.home),
    permissions(context.home),
    await journal(context.home),
    await lessonStore(context.home),
    ...(await configAndModel()),
    await sandboxes(),
  ].filter((finding) => finding !== undefined);
  const launch = await launchFindings(context);
  report(findings, launch, context);
  const decisive = switchOption(context, 'live') ? [...findings, ...launch] : findings;
  return decisive.every((finding) => finding.ok) ? exitCodes.completed : exitCodes.failed;
};

function report(findings: readonly Finding[], launch: readonly Finding[], context: CommandContext): void {
  const { screen } = context;
  if (context.json) {
    const live = launch.length > 0 && launch.every(({ ok }) => ok);
    printJson(context, { ok: findings.every(({ ok }) => ok), findings, live, launch });
    return;
  }
  const paper = { columns: screen.outColumns ?? 80, style: screen.outStyle };
  for (const { what, ok, detail, remedy } of findings) {
    screen.out(renderRow({ label: what, text: `${ok ? '✓' : '✗'} ${detail}`, tone: ok ? 'green' : 'red' }, paper));
    if (remedy !== undefined) screen.out(renderRow({ label: '', text: `to do: ${remedy}`, indent: 2 }, paper));
  }
  const problems = findings.filter(({ ok }) => !ok).length;
  screen.out('');
  screen.out(problems === 0 ? 'All well.' : `${problems === 1 ? '1 problem' : `${problems} problems`} found.`);
  if (launch.length > 0) reportLaunch(launch, context);
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 22 || (major === 22 && minor >= 18);
  const detail = `Node ${process.versions.node} on ${process.platform}`;
  return ok ? { what: 'node', ok, detail } : { what: 'node', ok, detail, remedy: 'Install Node 22.18 or newer.' };
}

/** Writes a file where runs will be written, and takes it away again. */
function homeFolder(home: Home): Finding {
  const what = 'home';
  const existed = existsSync(home.folder);
  try {
    mkdirSync(home.folder, { recursive: true });
    const probe = join(home.folder, `.doctor-${process.pid}`);
    writeFileSync(probe, 'probe');
    rmSync(probe);
    if (!existed) rmSync(home.folder, { recursive: true });
    return { what, ok: true, detail: `${home.folder} ${existed ? 'can be written' : 'can be made'}` };
  } catch (error) {
    const remedy = 'Make that folder writable, free some disk space, or name another one with --home or ASSAY_HOME.';
    return { what, ok: false, detail: `${home.folder}: ${messageOf(error)}`, remedy };
  }
}

/** Runs hold tasks, documents and answers: others on this machine should not write them. */
function permissions(home: Home): Finding | undefined {
  if (process.platform === 'win32' || !existsSync(home.folder)) return undefined;
  const what = 'access';
  const mode = statSync(home.folder).mode & 0o777;
  const detail = `mode ${mode.toString(8).padStart(3, '0')} on ${home.folder}`;
  if ((mode & 0o002) !== 0)
    return { what, ok: false, detail: `${detail}: everybody may write`, remedy: `chmod o-w ${home.folder}` };
  try {
    accessSync(dirname(home.folder), constants.X_OK);
    return { what, ok: true, detail };
  } catch (error) {
    return { what, ok: false, detail: messageOf(error), remedy: `chmod u+x ${dirname(home.folder)}` };
  }
}

async function journal(home: Home): Promise<Finding> {
  const what = 'journal';
  if (!existsSync(home.runs)) return { what, ok: true, detail: 'no runs yet' };
  try {
    const { sqliteHost } = await import('../../runtime/sqlite.ts');
    const host = sqliteHost({ file: home.runs });
    const newest = await host.list({ limit: 1 }).finally(() => host.close());
    const damage = await quickCheck(home.runs);
    if (damage !== undefined)
      return {
        what,
        ok: false,
        detail: `${home.runs}: ${damage}`,
        remedy: 'Put back a copy of the file, or move it away to start afresh.',
      };
    return { what, ok: true, detail: `${home.runs} is sound${newest.length === 0 ? ' and empty' : ''}` };
  } catch (error) {
    // A StateError says what to do by itself.
    return { what, ok: false, detail: messageOf(error) };
  }
}

async function quickCheck(file: string): Promise<string | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const said = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    return said === 'ok' ? undefined : String(said);
  } finally {
    database.close();
  }
}

async function lessonStore(home: Home): Promise<Finding> {
  const what = 'lessons';
  if (!existsSync(home.lessons)) return { what, ok: true, detail: 'no lessons yet' };
  try {
    const { sqliteLessons } = await import('../../memory/sqlite-lessons.ts');
    const store = sqliteLessons({ file: home.lessons });
    const active = await store.list({ status: 'active' }).finally(() => store.close());
    const damage = await quickCheck(home.lessons);
    return damage === undefined
      ? { what, ok: true, detail: `${active.length} in use` }
      : {
          what,
          ok: false,
          detail: `${home.lessons}: ${damage}`,
          remedy: 'Put back a copy of the file, or move it away.',
        };
  } catch (error) {
    return { what, ok: false, detail: messageOf(error) };
  }
}

/** Never a problem: only `runCode` and `shell` need one, and they say so themselves. */
async function sandboxes(): Promise<Finding> {
  const { describeSandbox } = await import('../../tools/builtin/run-code.ts');
  const found = Object.entries(await describeSandbox());
  return { what: 'sandbox', ok: true, detail: found.map(([name, { detail }]) => `${name}: ${detail}`).join('; ') };
}

async function model(): Promise<Finding> {
  const what = 'model';
  const detected = await expectedModel();
  if (!detected.found) return { what, ok: false, detail: 'none found', remedy: noModel };
  const { id, reason } = detected.found;
  const { mode, shortContext, problem } = await lookAtModel(id);
  const detail = [`${id} (${reason})`, ...(mode === undefined ? [] : [mode])].join('; ');
  if (problem !== undefined) return { what, ok: false, detail, remedy: problem };
  if (shortContext === undefined) return { what, ok: true, detail };
  return { what, ok: false, detail, remedy: moreContext };
}

const noModel =
  'Fetch one that runs here (assay models pull), set a key such as OPENAI_API_KEY, start a local server such as Ollama, or name a model with --model. `assay models` says more.';
const moreContext =
  'Give it a longer context (Ollama: OLLAMA_CONTEXT_LENGTH=16384; other servers have an option of their own), or take another model: a run with tools needs 8,192 tokens and more.';

/** The file has to load before anything can be said about the model it names. */
async function configAndModel(): Promise<(Finding | undefined)[]> {
  const file = findConfig(undefined);
  if (file === undefined) return [await model()];
  try {
    await loadConfig(file);
    return [{ what: 'config', ok: true, detail: file }, await model()];
  } catch (error) {
    return [{ what: 'config', ok: false, detail: messageOf(error) }];
  }
}
