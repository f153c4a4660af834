/**
 * A model in a process of its own.
 *
 * 1. When the native code crashes, the calls in that process fail and nothing else does. The next call starts a new process.
 * 2. The process ends with this one, however this one ends, and never keeps it alive.
 * 3. An aborted call rejects at once. A process that does not let go of it in time is ended.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { workerFile } from '../../tools/process/call-worker.ts';
import { clonedOptions, errorFrom, type FromModel, type ToModel } from './child-protocol.ts';
import type { EngineSettings, LocalEngine, Speech } from './local-engine.ts';
import { LocalModelCrashError } from './local-errors.ts';

/** Loading a large file cannot be interrupted. */
const abortGraceMs = 10_000;

export class ChildEngine implements LocalEngine {
  readonly #settings: EngineSettings;
  readonly #abortGraceMs: number;
  #process: ModelProcess | undefined;

  constructor(settings: EngineSettings, options: { abortGraceMs?: number } = {}) {
    this.#settings = settings;
    this.#abortGraceMs = options.abortGraceMs ?? abortGraceMs;
  }

  /** Of the process, while there is one. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async speak(speech: Speech): Promise<void> {
    speech.signal?.throwIfAborted();
    if (!this.#process?.isUp) this.#process = new ModelProcess(this.#settings, this.#abortGraceMs);
    await this.#process.speak(speech);
  }

  async close(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.end();
  }
}

interface Call {
  speech: Speech;
  resolve(): void;
  reject(reason: unknown): void;
}

const shownStderr = 2_000;

class ModelProcess {
  readonly #settings: EngineSettings;
  readonly #abortGraceMs: number;
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Call>();
  /** Aborted calls that the process still has, each with the time that is left to it. */
  readonly #leaving = new Map<number, NodeJS.Timeout>();
  #nextId = 1;
  #lastWords = '';
  #ended: string | undefined;

  constructor(settings: EngineSettings, graceMs: number) {
    this.#settings = settings;
    this.#abortGraceMs = graceMs;
    this.#child = fork(workerFile('local-model'), [], {
      // Its standard output is nobody's, and what it says last is why it crashed.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      execArgv: ['--no-warnings'],
      env: withoutSecrets(process.env),
    });
    this.#child.on('message', (message) => this.#take(message as FromModel));
    this.#child.on('error', (error) => this.#over(`could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#over(`ended with ${signal ?? `exit code ${code}`}`));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-shownStderr);
    });
    this.#keepAlive();
    this.#send({ type: 'open', settings });
  }

  get isUp(): boolean {
    return this.#ended === undefined;
  }

  get pid(): number | undefined {
    return this.isUp ? this.#child.pid : undefined;
  }

  speak(speech: Speech): Promise<void> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => this.#leave(id);
    this.#calls.set(id, { speech, resolve, reject });
    this.#keepAlive();
    speech.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#send({ type: 'speak', id, options: clonedOptions(speech.options) });
    } catch (error) {
      // What cannot be cloned was never sent.
      this.#finish(id)?.reject(error);
    }
    return promise.finally(() => speech.signal?.removeEventListener('abort', onAbort));
  }

  async end(): Promise<void> {
    if (!this.isUp) return;
    const exited = once(this.#child, 'exit');
    // Somebody waits for it.
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await exited;
  }

  #take(message: FromModel): void {
    const call = this.#calls.get(message.id);
    if (message.type === 'part') call?.speech.emit(message.part);
    else if (message.type === 'progress') call?.speech.onReadProgress?.(message.progress);
    else {
      clearTimeout(this.#leaving.get(message.id));
      this.#leaving.delete(message.id);
      if (message.type === 'done') this.#finish(message.id)?.resolve();
      else this.#finish(message.id)?.reject(errorFrom(message.error));
    }
  }

  #leave(id: number): void {
    const call = this.#finish(id);
    if (!call) return;
    call.reject(call.speech.signal?.reason);
    this.#send({ type: 'abort', id });
    this.#leaving.set(id, setTimeout(() => this.#giveUp(), this.#abortGraceMs).unref());
  }

  #giveUp(): void {
    this.#over('did not let go of an aborted call, and was ended');
    this.#child.kill('SIGKILL');
  }

  #finish(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    this.#keepAlive();
    return call;
  }

  #over(how: string): void {
    if (!this.isUp) return;
    this.#ended = how;
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    for (const id of this.#calls.keys()) this.#finish(id)?.reject(this.#crash(how));
  }

  #crash(how: string): LocalModelCrashError {
    const said = this.#lastWords.trim();
    return new LocalModelCrashError(
      `The process of the local model ${this.#settings.modelId} ${how} in the middle of a call${said ? ` (${said})` : ''}. ` +
        'The next call starts a new one. If it happens every time, the machine may have too little memory: take a smaller model, ' +
        'or a smaller context (ASSAY_LOCAL_CONTEXT).',
    );
  }

  #send(message: ToModel): void {
    // It may have ended in this very moment, which its exit tells.
    this.#child.send(message, () => undefined);
  }

  /** Only a call that somebody waits for keeps this process from ending. */
  #keepAlive(): void {
    const how = this.#calls.size > 0 ? 'ref' : 'unref';
    this.#child[how]();
    this.#child.channel?.[how]();
    if (this.#child.stderr instanceof Socket) this.#child.stderr[how]();
  }
}

/** The native code reads a file from anywhere: it gets no keys to give away. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && !/KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i.test(name),
  );
  return Object.fromEntries(kept);
}
