/**
 * Rebuilds the conversation of a recorded run: the journal holds what the model replied, and the agent's own code makes the prompts again.
 *
 * 1. Nothing is done: no step runs, no model and no tool is asked. What the journal does not hold ends the attempt to rebuild.
 * 2. Every recorded reply has a fingerprint of its messages, so those that come out are what the model saw, byte for byte. Where tools are
 *    told of apart from the messages, their descriptions are those of the agent that is given.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent, type AgentOptions } from '../../agent.ts';
import type { Attempt } from '../../core/attempt.ts';
import { NondeterminismError } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import type { Role } from '../../model/model.ts';
import type { ModelChoice } from '../../model/roles.ts';
import type { Durable, DurableHost } from '../../runtime/durable.ts';
import { hostView } from '../../runtime/host-view.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import type { Entry, RunRecord } from '../../runtime/store.ts';
import { protocolOf, specsOf } from '../../solver/react/protocol.ts';
import { react } from '../../solver/react/react.ts';
import type { NamedSolver, Run } from '../../solver/solver.ts';
import { chatOf, chatTools } from './chat.ts';
import type { ChatTool, Conversation } from './export-run.ts';

/** A finished run as its store holds it. */
export interface StoredRun {
  record: RunRecord;
  entries: readonly Entry[];
  result: Result;
}

/** Longer than any replay takes. */
const mostMs = 30_000;

/**
 * The conversation that led to the run's answer, by the agent it was made with. Undefined where the code or its inputs have changed
 * since, and where the answer came out of no conversation of the loop: a rewrite, a composed answer, the `direct` solver.
 */
export async function rebuildConversation(stored: StoredRun, options: AgentOptions): Promise<Conversation | undefined> {
  for (const textOnly of [false, true]) {
    const found = await replay(stored, options, textOnly);
    if (found) return found;
  }
  return undefined;
}

interface Conversed {
  attempt: Attempt;
  tools: ChatTool[];
}

async function replay(stored: StoredRun, options: AgentOptions, textOnly: boolean): Promise<Conversation | undefined> {
  const { record, entries, result } = stored;
  const seen: Conversed[] = [];
  const journals = new InMemoryJournals();
  const copy = { ...record, state: 'suspended' as const, owner: undefined, output: undefined, cancelRequested: false };
  const kept = { record: copy, entries: [...entries], signals: new Map<string, string>() };
  journals.runs.set(record.n, kept);
  journals.byId.set(record.id, kept);
  const host = inMemoryHost({ journals });
  try {
    const { sinks: _sinks, onWarning: _warned, ...rest } = options;
    const agent = new Agent({
      ...rest,
      name: record.workflow,
      model: standIns(options.model, textOnly),
      solver: watched(options.solver ?? react(), seen),
      host: readOnly(host),
    });
    await agent.host.resume(record.id);
    await host.result(record.id, { waitMs: mostMs });
    return conversationOf(seen, result);
  } finally {
    await host.close();
  }
}

/** An attempt with the run's answer and claims ended with a recorded reply, and that reply vouches for all messages before it. */
function conversationOf(seen: readonly Conversed[], { answer, attempt }: Result): Conversation | undefined {
  const claims = canonicalJson(attempt.claims);
  const last = seen.findLast((made) => made.attempt.answer === answer && canonicalJson(made.attempt.claims) === claims);
  const messages = last?.attempt.state?.transcript.messages;
  return last && messages && { messages: chatOf(messages), tools: last.tools };
}

/** The solver, with its attempts kept: a Result has no transcript. */
function watched(solver: NamedSolver, seen: Conversed[]): NamedSolver {
  const solve = async (...[brief, run]: Parameters<NamedSolver['solve']>): Promise<Attempt> => {
    const attempt = await solver.solve(brief, run);
    seen.push({ attempt, tools: toolsOf(attempt, run) });
    return attempt;
  };
  return { ...solver, solve };
}

function toolsOf({ state }: Attempt, run: Run): ChatTool[] {
  return state && !protocolOf(run).textual ? chatTools(specsOf(run, state)) : [];
}

/** The host with runs that may read their journal and do nothing else. */
function readOnly(host: DurableHost): DurableHost {
  return hostView(host, {
    register: (workflow) =>
      host.register({ ...workflow, run: (durable, input) => workflow.run(reading(durable), input) }),
  });
}

function reading(durable: Durable): Durable {
  const step: Durable['step'] = (name, _fn, options) => {
    const { retry: _, ...once } = options ?? {};
    return durable.step(name, () => Promise.reject(new NondeterminismError(`the journal does not hold ${name}`)), once);
  };
  return {
    runId: durable.runId,
    path: durable.path,
    seed: durable.seed,
    codeVersion: durable.codeVersion,
    signal: durable.signal,
    step,
    scope: (name) => reading(durable.scope(name)),
    sleep: (ms) => durable.sleep(ms),
    waitFor: (signal, options) => durable.waitFor(signal, options),
    parallel: (name, branches, options) =>
      durable.parallel(
        name,
        branches.map((branch) => (inner: Durable) => branch(reading(inner))),
        options,
      ),
    child: (workflow, name, input) => durable.child(workflow, name, input),
    now: () => durable.now(),
    random: () => durable.random(),
    uuid: () => durable.uuid(),
  };
}

/** Models that are never asked, under the names of those that were: no key and no package is needed to read a journal. */
function standIns(choice: AgentOptions['model'], textOnly: boolean): AgentOptions['model'] {
  if (!(typeof choice === 'object' && 'actor' in choice)) return standIn(choice, textOnly);
  const { actor, ...others } = choice;
  const made = Object.entries(others).flatMap(([role, model]) => (model ? [[role, standIn(model, textOnly)]] : []));
  const rest: Partial<Record<Role, ModelChoice>> = Object.fromEntries(made);
  return { ...rest, actor: standIn(actor, textOnly) };
}

function standIn(choice: ModelChoice, textOnly: boolean): LanguageModelV4 & { textOnly?: true } {
  const asked = (): never => {
    throw new NondeterminismError('a model was asked while a journal was read');
  };
  return {
    specificationVersion: 'v4',
    ...namesOf(choice),
    supportedUrls: {},
    doGenerate: asked,
    doStream: asked,
    ...(textOnly && { textOnly: true }),
  };
}

function namesOf(choice: ModelChoice): { provider: string; modelId: string } {
  if (typeof choice === 'object') return { provider: choice.provider, modelId: choice.modelId };
  if (typeof choice === 'function') return { provider: 'function', modelId: choice.name || 'function' };
  const colon = choice.indexOf(':');
  return { provider: choice.slice(0, colon), modelId: choice.slice(colon + 1) };
}
