/**
 * What lies between the SDK and either transport: a server may answer what it was asked and say that its tools changed.
 *
 * 1. Answers to what nobody asked, or to what was given up, are dropped here.
 * 2. Of notifications only `tools/list_changed` passes, as a mark; no number of them makes this process do more.
 * 3. Requests of the server are refused by the SDK, since no capability is offered; a flood of them is not even refused.
 */
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Of one message of a server. Text of a result in JSON takes a little more room than the text. */
export const maxMessageBytes: number = 20 * 1024 * 1024;

const maxRequestsPerSecond = 20;

/** The answer to a call whose real answer was too large to be kept. */
export function tooLargeAnswer(id: RequestId): JSONRPCMessage {
  return failure(id, `the server's answer has more than ${maxMessageBytes} bytes: ask for less`);
}

function failure(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: -32_603, message } };
}

export interface ServerEvents {
  toolsChanged(): void;
  /** Something that was passed by, for a log. */
  noise(what: string): void;
}

export class ServerTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #inner: Transport;
  readonly #events: ServerEvents;
  readonly #pending = new Set<RequestId>();
  #second = 0;
  #requests = 0;

  constructor(inner: Transport, events: ServerEvents) {
    this.#inner = inner;
    this.#events = events;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => this.#receive(message);
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) this.#pending.add(message.id);
    const cancelled = cancelledRequest(message);
    if (cancelled !== undefined) this.#pending.delete(cancelled);
    try {
      await this.#inner.send(message, options);
    } catch (error) {
      if ('id' in message && message.id !== undefined) this.#pending.delete(message.id);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** Answers a call that will have no other answer, if it still waits for one. */
  fail(id: RequestId, why: string): void {
    if (this.#pending.has(id)) this.#receive(failure(id, why));
  }

  #receive(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      if (message.id !== undefined && this.#pending.delete(message.id)) this.onmessage?.(message);
      else this.#events.noise('an answer to nothing that was asked');
    } else if ('id' in message) {
      if (this.#admitsRequest()) this.onmessage?.(message);
    } else if (message.method === 'notifications/tools/list_changed') {
      this.#events.toolsChanged();
    }
  }

  #admitsRequest(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#requests = 0;
    this.#second = second;
    this.#requests += 1;
    if (this.#requests > maxRequestsPerSecond) this.#events.noise('more requests than are looked at');
    return this.#requests <= maxRequestsPerSecond;
  }
}

/** The request that this message gives up, if it does. */
export function cancelledRequest(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}
