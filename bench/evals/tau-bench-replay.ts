/**
 * tau-bench by its own calls and by a recorded model. All ground-truth calls run through our tools, and the recorded runs of gpt-4o on the
 * airline are graded by us and compared with the recorded rewards. Reads folders that are not part of the project.
 */
import * as z from 'zod';
import { offlineContext } from '../../src/checks/offline.ts';
import { scriptedCustomer } from '../../src/evals/tasks/tau-bench/customer.ts';
import { type Changes, changesOf, type RecordedCall, replay } from '../../src/evals/tasks/tau-bench/desk.ts';
import { type Domain, type DomainData, readDomain } from '../../src/evals/tasks/tau-bench/domains.ts';
import { Expected, missing } from '../../src/evals/tasks/tau-bench/reward.ts';
import { expectedChanges, tauBench } from '../../src/evals/tasks/tau-bench/tau-bench.ts';
import { attemptWith } from '../../src/testing/attempt.ts';
import { needed, readRows, rowsById } from '../papers/material.ts';

/** A recorded run is cut after this many messages: system, first message, and 30 steps of two. */
const cutAt = 62;

export interface ReplayFolders {
  airline: string;
  retail: string;
  /** A file of recorded runs: {id, trial, reward, n_messages, tool_calls: [{name, args}]} a line. */
  recorded: string;
  /** A file of recorded conversations of some of them: {id, trial, messages: [{role, content}]} a line. */
  dialogues?: string;
}

/** The ground-truth calls of a domain. */
export interface TruthReplay {
  tasks: number;
  /** Tasks whose own calls get reward 1. */
  rewarded: number;
  calls: number;
  /** Calls that fail, as some of the data set's own do. */
  failing: { id: string; call: string; error: string }[];
}

/** A recorded run whose reward is not ours. */
export interface Disagreement {
  id: string;
  trial: number;
  recorded: number;
  ours: number;
  why: string;
}

export interface RecordedReplay {
  runs: number;
  agreed: number;
  disagreements: Disagreement[];
}

const Recorded = z.object({
  id: z.string(),
  trial: z.number(),
  reward: z.number(),
  n_messages: z.number(),
  tool_calls: z.array(z.object({ name: z.string(), args: z.string() })),
});
type Recorded = z.output<typeof Recorded>;

const Dialogue = z.object({
  id: z.string(),
  trial: z.number(),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
});

/** The replay of both domains and of the recorded runs, and its text. */
export async function replayTauBench(
  folders: ReplayFolders,
): Promise<{ truth: Record<Domain, TruthReplay>; recorded: RecordedReplay; text: string }> {
  const airline = readDomain(folders.airline, 'airline');
  const truth = {
    airline: await replayTruth(folders.airline, 'airline'),
    retail: await replayTruth(folders.retail, 'retail'),
  };
  const recorded = await replayRecorded(airline, folders);
  return { truth, recorded, text: textOf(truth, recorded) };
}

/** Each task in an environment of its own: its calls, then one message with all that has to be said, then the customer leaves. */
async function replayTruth(folder: string, domain: Domain): Promise<TruthReplay> {
  const { tasks, environment, grade } = tauBench({ folder, domain, customer: scriptedCustomer([]) });
  const found: TruthReplay = { tasks: tasks.length, rewarded: 0, calls: 0, failing: [] };
  for (const task of tasks) {
    const { actions, outputs } = Expected.parse(task.expected);
    const { tools = [], state } = environment(task);
    const message = ['Done.', ...outputs].join(' ');
    const calls = [...actions.filter(isOfDesk), { name: 'replyToCustomer', args: { message } }];
    const replayed = await replay(tools.flat(), calls);
    found.calls += actions.length;
    for (const call of replayed) {
      if ('error' in call) found.failing.push({ id: task.id, call: callText(call), error: call.error });
    }
    const graded = { task, answer: message, attempt: attemptWith(), state: await state?.() };
    if ((await grade.grade(graded, offlineContext())).pass) found.rewarded += 1;
  }
  return found;
}

/** Nothing but the end of the conversation comes of a transfer, and a recorded run ends with it. */
function isOfDesk({ name }: RecordedCall): boolean {
  return name !== 'transfer_to_human_agents';
}

function callText({ name, args }: RecordedCall): string {
  return `${name}(${JSON.stringify(args)})`;
}

async function replayRecorded(data: DomainData, folders: ReplayFolders): Promise<RecordedReplay> {
  const rows = rowsById(data.rows);
  const runs = readRows(folders.recorded, Recorded);
  const replies = repliesOf(folders.dialogues);
  const expected = new Map<string, Changes>();
  for (const { id, expected: given } of data.rows) expected.set(id, await expectedChanges(data, given.actions));
  const disagreements: Disagreement[] = [];
  for (const run of runs) {
    const { outputs } = needed(rows, run.id).expected;
    const said = replies.get(`${run.id}#${run.trial}`);
    const { changes, absent } = await replayRun(data, run);
    const why = missing(
      { changes, replies: said ?? [], ended: run.n_messages < cutAt ? 'customer' : 'turns' },
      { changes: needed(expected, run.id), outputs: said ? outputs : [] },
    );
    const ours = why === undefined ? 1 : 0;
    if (ours === run.reward) continue;
    const reason = why ?? reasonOf({ absent, unheard: said ? [] : outputs });
    disagreements.push({ id: run.id, trial: run.trial, recorded: run.reward, ours, why: reason });
  }
  return { runs: runs.length, agreed: runs.length - disagreements.length, disagreements };
}

/** What the run left, and the flights of failed calls that the database of the folder does not hold. */
async function replayRun(data: DomainData, run: Recorded): Promise<{ changes: Changes; absent: string[] }> {
  const calls = run.tool_calls.map(({ name, args }) => ({
    name,
    args: z.record(z.string(), z.json()).parse(JSON.parse(args)),
  }));
  const desk = data.open();
  const replayed = await replay(desk.tools, calls.filter(isOfDesk));
  const absent = replayed.flatMap((call) => ('error' in call ? flightsOf(call) : []));
  const held = data.tables['flights'] ?? {};
  return {
    changes: changesOf(data.tables, desk.tables),
    absent: absent.filter((flight) => !Object.hasOwn(held, flight)),
  };
}

function flightsOf({ args }: RecordedCall): string[] {
  const { data } = z.object({ flights: z.array(z.object({ flight_number: z.string() })) }).safeParse(args);
  return data?.flights.map(({ flight_number }) => flight_number) ?? [];
}

function reasonOf({ absent, unheard }: { absent: string[]; unheard: string[] }): string {
  if (absent.length > 0) return `it needed ${absent.join(', ')}, which db.json does not hold`;
  if (unheard.length > 0) return `its replies were not recorded, and they had to say ${unheard.join(', ')}`;
  return 'not explained';
}

/** What the agent said, by task and trial. */
function repliesOf(file: string | undefined): Map<string, string[]> {
  const dialogues = file === undefined ? [] : readRows(file, Dialogue);
  return new Map(
    dialogues.map(({ id, trial, messages }) => [
      `${id}#${trial}`,
      messages.flatMap(({ role, content }) => (role === 'assistant' && content ? content : [])),
    ]),
  );
}

function textOf(truth: Record<Domain, TruthReplay>, recorded: RecordedReplay): string {
  const domains = Object.entries(truth).flatMap(([name, { tasks, rewarded, calls, failing }]) => [
    `${name}: ${rewarded} of ${tasks} tasks have reward 1 by their own calls (${calls} calls, ${failing.length} of them fail)`,
    ...failing.map(({ id, call, error }) => `  ${id} ${call}: ${error}`),
  ]);
  const { runs, agreed, disagreements } = recorded;
  return [
    ...domains,
    `recorded airline runs: our reward is the recorded one in ${agreed} of ${runs}`,
    ...disagreements.map(
      (one) => `  ${one.id} trial ${one.trial}: recorded ${one.recorded}, ours ${one.ours}; ${one.why}`,
    ),
    '',
  ].join('\n');
}
