/**
 * A server as a child process, one JSON-RPC message a line.
 *
 * 1. A line that is no message is passed by and told of; a line over the limit is dropped without being kept, and the call
 *    it would have answered is answered with an error.
 * 2. `onclose` comes once and soon after the process is gone, also when a grandchild keeps its output open.
 * 3. The child leads a group of its own, which is ended by `close` and with this process; it never keeps this process alive.
 * 4. What is sent to a child that does not read is bounded.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { idAtEnds, LineReader, parseLoosely } from './json-lines.ts';
import type { Sdk } from './sdk.ts';
import { maxMessageBytes, tooLargeAnswer } from './server-transport.ts';
import { visibleLine } from './texts.ts';

export interface ChildOptions {
  command: string;
  args?: readonly string[] | undefined;
  /** Added to the few variables every program needs. */
  env?: Readonly<Record<string, string>> | undefined;
  cwd?: string | undefined;
}

const keptStderr = 4_096;
const maxUnread = 16 * 1024 * 1024;
const drainMs = 250;
const graceMs = 1_000;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: ChildOptions;
  readonly #sdk: Sdk;
  readonly #onNoise: (what: string) => void;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stderr = '';
  #closed = false;

  constructor(options: ChildOptions, sdk: Sdk, onNoise: (what: string) => void) {
    this.#options = options;
    this.#sdk = sdk;
    this.#onNoise = onNoise;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#options;
    const child = spawn(command, args, {
      env: { ...this.#sdk.getDefaultEnvironment(), ...env },
      ...(cwd !== undefined && { cwd }),
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    const lines = new LineReader(maxMessageBytes, {
      line: (text) => this.#line(text),
      dropped: (head, tail) => this.#dropped(head, tail),
    });
    child.stdout.on('data', (chunk: Buffer) => lines.add(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptStderr);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', (error) => this.onerror?.(error));
    child.on('close', () => this.#gone());
    child.on('exit', () => setTimeout(() => this.#gone(), drainMs).unref());
    await once(child, 'spawn');
    endWithThisProcess(child);
    // A call waits with a timer of its own, which keeps this process alive for as long as it should be.
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) unref(handle);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#closed || !stdin?.writable) throw new Error(`the server is gone: ${this.ending()}`);
    if (stdin.writableLength > maxUnread) throw new Error('the server does not read what it is sent');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the child: its input first, then politely, then at once. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#closed || child.pid === undefined) return this.#gone();
    const gone = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
    const ended = async (): Promise<boolean> => isOver(child) || (await Promise.race([gone, wait(graceMs, false)]));
    child.stdin.end();
    if (!(await ended())) {
      signalGroup(child, 'SIGTERM');
      await ended();
    }
    this.#gone();
  }

  /** How the process ended and what it said last, in words for a message. */
  ending(): string {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    if (signalCode === null && exitCode === null) return 'the connection was closed';
    return `${signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`}${this.lastWords()}`;
  }

  /** The end of its error output, as the end of a sentence. */
  lastWords(): string {
    const said = this.#stderr.trim().slice(-1_000);
    return said === '' ? '' : `; its error output ends: ${visibleLine(said, 1_200)}`;
  }

  #line(text: string): void {
    if (text.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = this.#sdk.JSONRPCMessageSchema.parse(parseLoosely(text));
    } catch {
      this.#onNoise(`a line on its standard output that is no message: ${visibleLine(text, 120)}`);
      return;
    }
    this.onmessage?.(message);
  }

  #dropped(head: string, tail: string): void {
    this.#onNoise(`a line of more than ${maxMessageBytes} bytes: ${visibleLine(head, 60)}`);
    const id = idAtEnds(head, tail);
    if (id !== undefined) this.onmessage?.(tooLargeAnswer(id));
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    const child = this.#child;
    if (child) {
      // What still runs, and whatever the leader left behind.
      signalGroup(child, 'SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    this.onclose?.();
  }
}

function isOver(child: ChildProcessWithoutNullStreams): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Pipes of a child are sockets, which the types of its streams do not say. */
function unref(handle: object): void {
  if ('unref' in handle && typeof handle.unref === 'function') handle.unref();
}

const living = new Set<ChildProcessWithoutNullStreams>();

let watching = false;

function endWithThisProcess(child: ChildProcessWithoutNullStreams): void {
  if (!watching) process.once('exit', endAll);
  watching = true;
  living.add(child);
}

function endAll(): void {
  for (const child of living) signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is empty, which is what was wanted.
  }
}
