/**
 * Calls one tool many times as a run would: argument text → `prepareArguments` → `touches` → `executeCall` with the run of a real agent on a
 * real host. After each call it looks at everything that must hold whatever the arguments were.
 */
import { readdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as fc from 'fast-check';
import { defineAgent } from '../../src/agent.ts';
import { canonicalJson } from '../../src/core/json.ts';
import { scriptedModel } from '../../src/model/providers/script-model.ts';
import type { Run } from '../../src/solver/solver.ts';
import { prepareArguments } from '../../src/tools/arguments.ts';
import { executeCall, type Outcome } from '../../src/tools/execute.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { type Dictionary, hostileArguments } from './hostile-arguments.ts';
import { type Scene, Violation } from './scene.ts';

export interface FuzzOptions {
  runs: number;
  seed: number;
  dictionary: Dictionary;
  scene: Scene;
  /** Longer than this is a hang, whatever limit the tool has itself. */
  limitMs: number;
  /** Characters of one result. */
  maxChars: number;
  /** Puts the root back into its first state, now and then. */
  reset?: () => void;
  /** Throws `Violation` when the far end saw what it must never see. */
  check?: () => void;
  /** What was connected to that is not loopback; see `watchNetwork`. */
  network: readonly string[];
  /** Told of each call before it begins and after its end, for a watch outside of this thread. */
  onCall?: (text: string | undefined) => void;
}

export interface FuzzReport {
  tool: string;
  runs: number;
  /** How many passed validation. */
  valid: number;
  outcomes: Record<Outcome['status'], number>;
  ms: number;
  /** What was violated, with the shrunk arguments and the seed. */
  violation?: string;
}

/** Calls with the journal of one run: it grows with each. */
const callsPerRun = 100;
const closeMs = 1_000;
/** Connections that are kept for the next request, and the like. */
const mostLeftOpen = 50;
/** Of looking for a smaller counterexample. */
const shrinkMs = 60_000;

export async function fuzzTool(tool: Tool, options: FuzzOptions): Promise<FuzzReport> {
  const fuzz = new Fuzz(tool, options);
  const { unhandled, stop } = watchProcess();
  const started = performance.now();
  const openBefore = openHandles();
  try {
    const checked = await fc.check(
      fc.asyncProperty(hostileArguments(tool, options.dictionary), (text) => fuzz.call(text, unhandled)),
      { numRuns: options.runs, seed: options.seed, interruptAfterTimeLimit: fuzz.mostMs, markInterruptAsFailure: true },
    );
    await new Promise((resolve) => setImmediate(resolve));
    const violation = violationOf(checked, options.seed) ?? unhandled.at(0);
    if (violation === undefined) options.scene.checkContent();
    const left = openHandles() - openBefore;
    if (left > mostLeftOpen) throw new Violation(`handles: ${left} more files or connections are open than before`);
    return fuzz.report(performance.now() - started, violation);
  } catch (error) {
    const what = error instanceof Violation ? error.message : describe(error);
    return fuzz.report(performance.now() - started, `${what}\n  again with: --seed ${options.seed}`);
  } finally {
    stop();
    await fuzz.close();
  }
}

/** Files and connections of this process, where the system tells. */
function openHandles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

function violationOf(checked: fc.RunDetails<[string]>, seed: number): string | undefined {
  if (!checked.failed) return undefined;
  const cause = checked.errorInstance instanceof Error ? checked.errorInstance.message : String(checked.errorInstance);
  const text = checked.counterexample?.[0];
  const shown = text === undefined ? 'no single call' : JSON.stringify(text.slice(0, 2_000));
  const why = checked.interrupted && text === undefined ? 'hang: the runs together took too long' : cause;
  return `${why}\n  arguments: ${shown}\n  again with: --seed ${seed} (path ${checked.counterexamplePath})`;
}

class Fuzz {
  readonly mostMs: number;
  readonly #tool: Tool;
  readonly #options: FuzzOptions;
  readonly #counts: FuzzReport['outcomes'] = { ok: 0, error: 0, denied: 0, timeout: 0, 'unknown-outcome': 0 };
  #runs = 0;
  #valid = 0;
  #session: { run: Run; close(): Promise<unknown> } | undefined;

  constructor(tool: Tool, options: FuzzOptions) {
    this.#tool = tool;
    this.#options = options;
    this.mostMs = options.runs * options.limitMs + shrinkMs;
  }

  /** Throws `Violation` for whatever must not be. */
  async call(text: string, unhandled: readonly string[]): Promise<void> {
    if (this.#runs % callsPerRun === 0) await this.#renew();
    this.#runs++;
    this.#options.onCall?.(text);
    try {
      await this.#judge(text);
    } finally {
      this.#options.onCall?.(undefined);
    }
    if (unhandled[0] !== undefined) throw new Violation(unhandled[0]);
    if (this.#options.network[0] !== undefined) throw new Violation(`network: ${this.#options.network[0]}`);
    if (Object.hasOwn(Object.prototype, 'polluted')) throw new Violation('pollution: Object.prototype was changed');
    this.#options.scene.check();
    this.#options.check?.();
  }

  async #judge(text: string): Promise<void> {
    const prepared = guarded('prepareArguments', () => prepareArguments(text, this.#tool.input));
    if (!prepared.ok) {
      checkContent(prepared.message, 100_000);
      return;
    }
    this.#valid++;
    this.#checkTouched(prepared.args);
    const outcome = await this.#execute(prepared.args);
    this.#counts[outcome.status]++;
    checkContent(outcome.content, this.#options.maxChars);
    checkClean(outcome.content);
    if (outcome.content.includes(this.#options.scene.canary))
      throw new Violation('leak: a secret stands in the result');
  }

  #checkTouched(args: unknown): void {
    const touched = guarded('touches', () => this.#tool.touches?.(args));
    const again = guarded('touches', () => this.#tool.touches?.(args));
    if (JSON.stringify(touched) !== JSON.stringify(again))
      throw new Violation('touches: not the same for the same arguments');
    const odd = touched?.paths?.find((each) => !isAbsolute(each));
    if (odd !== undefined) throw new Violation(`touches: ${odd} is not absolute`);
  }

  async #execute(args: unknown): Promise<Outcome> {
    const session = this.#session;
    if (!session) throw new Error('there is no run: call comes after renew');
    const key = `${this.#tool.name} ${canonicalJson(args)} ${this.#runs}`;
    const call = { callId: `call-${this.#runs}`, tool: this.#tool.name, args, key, verdict: { type: 'run' } } as const;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), this.#options.limitMs);
    const started = performance.now();
    try {
      const outcome = await Promise.race([executeCall(call, session.run), late]);
      if (outcome === 'late') throw new Violation(`hang: no result within ${this.#options.limitMs} ms`);
      // A call that keeps the thread busy keeps the timer from firing.
      const ms = performance.now() - started;
      if (ms > this.#options.limitMs) throw new Violation(`hang: it took ${Math.round(ms)} ms`);
      return outcome;
    } catch (error) {
      if (error instanceof Violation) throw error;
      throw new Violation(`throw: the executor passed on ${describe(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async #renew(): Promise<void> {
    this.#options.reset?.();
    await this.#session?.close();
    this.#session = await openSession(this.#tool);
  }

  report(ms: number, violation: string | undefined): FuzzReport {
    const { name } = this.#tool;
    const counted = { tool: name, runs: this.#runs, valid: this.#valid, outcomes: this.#counts, ms };
    return violation === undefined ? counted : { ...counted, violation };
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }
}

function guarded<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Violation(`throw: ${what} threw ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that cannot be printed';
  }
}

/** Characters that the executor takes out of every text. */
const unclean = /[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/u;

function checkContent(content: unknown, maxChars: number): void {
  if (typeof content !== 'string') throw new Violation(`outcome: the content is ${typeof content}, not a text`);
  if (content.length > maxChars) throw new Violation(`outcome: ${content.length} characters, more than ${maxChars}`);
}

function checkClean(content: string): void {
  if (!content.isWellFormed()) throw new Violation('outcome: the content holds half of a character');
  const found = unclean.exec(content.replaceAll('\u{1f3f4}\u{e0067}\u{e0062}', ''))?.[0];
  if (found) throw new Violation(`outcome: the content holds the character ${found.codePointAt(0)?.toString(16)}`);
}

/** A run of a real agent whose solver waits while calls are made with its services. */
async function openSession(tool: Tool): Promise<{ run: Run; close(): Promise<unknown> }> {
  const given = Promise.withResolvers<Run>();
  const done = Promise.withResolvers<void>();
  const agent = defineAgent({
    model: scriptedModel([]),
    tools: [tool],
    policy: { write: 'allow', irreversible: 'allow', rules: [{ path: '/no/such/place/of/a/rule', action: 'deny' }] },
    budget: { modelCalls: undefined, toolCalls: undefined, tokens: undefined, ms: undefined },
    solver: {
      name: 'fuzz',
      config: {},
      solve: async (_, run) => {
        given.resolve(run);
        await done.promise;
        const attempt = { answer: 'done', claims: [], observations: [], reports: [], drafts: [] };
        return { ...attempt, ended: { type: 'final' }, degraded: false, revisions: 0 };
      },
    },
  });
  const handle = agent.run('fuzz');
  const run = await given.promise;
  const close = async () => {
    done.resolve();
    // A call that hangs keeps its run from ending.
    await Promise.race([handle.result, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    await agent.host.close();
  };
  return { run, close };
}

/** What goes wrong outside of any call. */
function watchProcess(): { unhandled: string[]; stop(): void } {
  const unhandled: string[] = [];
  const note = (error: unknown): void => {
    unhandled.push(`unhandled: ${describe(error)}`);
  };
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return {
    unhandled,
    stop() {
      process.off('uncaughtException', note);
      process.off('unhandledRejection', note);
    },
  };
}
