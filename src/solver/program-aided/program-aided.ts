/**
 * The model writes a program, a sandbox runs it, and what it prints is the answer (program-aided language models, Gao et al. 2022).
 *
 * 1. The program runs as a call of `runCode` through guards, policy, approval and budget like any other; its output is an observation.
 * 2. The answer is that output, and the only claim quotes it. A program that fails goes back with its error a bounded number of times.
 * `brief.revise`: writes a program again with the issues in view.
 */
import * as z from 'zod';
import type { Attempt, Ending, Observation } from '../../core/attempt.ts';
import { UsageError } from '../../core/errors.ts';
import type { TurnState } from '../../core/turn.ts';
import { ask } from '../../model/ask.ts';
import { fence } from '../../model/run-text.ts';
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';
import { runCode } from '../../tools/builtin/run-code.ts';
import { endingOf } from '../direct.ts';
import { approvals } from '../react/approvals.ts';
import { sourceCharacters } from '../react/context-room.ts';
import { prepareCall } from '../react/guards.ts';
import { revisionText, taskText, withRevised } from '../react/prompts.ts';
import { start } from '../react/react.ts';
import { takeTurn } from '../react/take-turn.ts';
import type { NamedSolver, Run } from '../solver.ts';
import { type FailedProgram, programPrompt, programRules } from './prompts.ts';

export interface ProgramAidedOptions {
  /** Default `python`. */
  language?: Language;
  /** How often a program that gave no answer goes back with its error. Default 2. */
  retries?: number;
}

const Program: z.ZodType<{ code: string }> = z.object({ code: z.string().min(1).describe('The whole program.') });

/** What `runCode` returns of a program. */
const Output = z.object({
  ended: z.string(),
  result: z.string().optional(),
  stdout: z.string(),
  stderr: z.string(),
});

/** Runs programs with the agent's `runCode`, or with one of its own. Throws `UsageError` for a number that cannot be meant. */
export function programAided(options: ProgramAidedOptions = {}): NamedSolver {
  const { language = 'python', retries = 2 } = options;
  if (!(Number.isInteger(retries) && retries >= 0))
    throw new UsageError(`retries is ${retries}: give a whole number of at least 0`);
  const own = runCode();
  return {
    name: 'program-aided',
    config: { language, retries },
    solve: async (brief, run) => {
      const equipped = run.tools.has(own.name) ? run : { ...run, tools: new Map(run.tools).set(own.name, own) };
      const given = withRevised(brief);
      const state = start({ ...given, revise: undefined }, equipped);
      const shown = sourceCharacters(run, 'actor', given.evidence.length);
      const text = taskText(given, { date: state.date, boundary: run.boundary, shown });
      const task = brief.revise ? `${text}\n${revisionText(brief.revise)}` : text;
      return solve(task, state, { run: equipped, language, programs: retries + 1 });
    },
  };
}

interface Work {
  run: Run;
  language: Language;
  programs: number;
}

async function solve(task: string, begun: TurnState, { run, language, programs }: Work): Promise<Attempt> {
  const failed: FailedProgram[] = [];
  let state = begun;
  while (failed.length < programs) {
    const asked = await ask(run, {
      step: 'program',
      role: 'actor',
      system: programRules(language),
      prompt: programPrompt(task, failed),
      schema: Program,
    });
    if (!asked.ok) return attemptOf(state, endingOf(asked));
    const { code } = asked.value;
    const ran = await runProgram(code, state, { run, language });
    state = ran.state;
    if (ran.ended) return attemptOf(state, ran.ended);
    const read = readOutput(ran.observation, ran.refusal);
    if (read.ok) return answered(state, read, run);
    failed.push({ code, why: read.isOutput ? `\n${fence(read.why, run.boundary)}` : read.why });
    run.emit({ type: 'turn.invalid', why: `the program gave no answer: ${read.why}` });
  }
  const detail = `${programs} program(s) ran and none gave an answer; the last: ${failed.at(-1)?.why ?? ''}`;
  return attemptOf(state, { type: 'fault', fault: 'invalid-answer', detail });
}

interface Ran {
  state: TurnState;
  observation: Observation | undefined;
  refusal: string;
  ended?: Ending;
}

/** One call of `runCode`, judged, run and recorded as the loop does it. */
async function runProgram(code: string, state: TurnState, how: { run: Run; language: Language }): Promise<Ran> {
  const { run, language } = how;
  const callId = `program-${state.callIds.length + 1}`;
  const raw = { callId, tool: 'runCode', input: JSON.stringify({ language, code }), guessed: false };
  const call = prepareCall(raw, { state, run, inTurn: [] });
  const refusal = call.verdict.type === 'answer' ? call.verdict.text : '';
  const callIds = [...state.callIds, callId];
  let outcome = await takeTurn({ ...state, callIds, pending: [call] }, run);
  while (outcome.type === 'needs-approval') {
    outcome = await takeTurn(await approvals(outcome.state, outcome.requests, run), run);
  }
  const after = outcome.state;
  const observation = after.observations[state.observations.length];
  const ran = { state: after, observation, refusal };
  return outcome.type === 'failed' ? { ...ran, ended: outcome.ended } : ran;
}

type Read = { ok: true; answer: string; observation: string } | { ok: false; why: string; isOutput: boolean };

function readOutput(observation: Observation | undefined, refusal: string): Read {
  if (!observation) return { ok: false, why: refusal, isOutput: false };
  if (observation.status !== 'ok') return { ok: false, why: observation.content, isOutput: true };
  const output = Output.safeParse(jsonOf(observation.content));
  if (!output.success) return { ok: false, why: 'runCode did not say what became of it', isOutput: false };
  const { ended, stdout, stderr, result } = output.data;
  if (ended !== 'completed') return { ok: false, why: `it ended with: ${ended}\n${stderr}`.trim(), isOutput: true };
  const answer = stdout.trim() || (result ?? '').trim();
  if (answer === '') return { ok: false, why: 'it printed nothing', isOutput: false };
  return { ok: true, answer, observation: observation.id };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answered(state: TurnState, read: Extract<Read, { ok: true }>, run: Run): Attempt {
  const { answer, observation } = read;
  run.emit({ type: 'answer.drafted', answer, claims: 1, degraded: false });
  const claims = [{ text: answer, evidence: [{ observation, quote: answer }] }];
  return { ...attemptOf(state, { type: 'final' }), answer, claims };
}

function attemptOf({ observations, plan }: TurnState, ended: Ending): Attempt {
  return { claims: [], observations, plan, reports: [], drafts: [], ended, degraded: false, revisions: 0 };
}
