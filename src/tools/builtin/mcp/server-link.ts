/**
 * The one way from the tools of a server to that server.
 *
 * 1. A call goes out only when the server's current definition of the tool is the one the model was shown, or one that was
 *    accepted since. That is looked at after every connection and every notice of a change, before the next call.
 * 2. Tools that appear after the first list are reported and do not become callable.
 * 3. A call whose connection ends is never sent again, except when the server said that it does not know the session. The
 *    next call connects anew; after `maxFailures` in a row that is refused for a while.
 */

import { differencePlaces, differences } from './definition.ts';
import {
  type Enrolled,
  type EnrolledTool,
  enrol,
  type McpEnrolment,
  type ToolRules,
  type UsableTool,
} from './enrolment.ts';
import type { ToolPins } from './pins.ts';
import { readResult } from './results.ts';
import type { Sdk } from './sdk.ts';
import { Session, SessionLostError, type SessionOptions } from './session.ts';
import { modelText, visibleLine } from './texts.ts';

export interface LinkOptions extends SessionOptions {
  rules: ToolRules;
  pins: ToolPins;
  timeoutMs: number;
  onReport(report: McpEnrolment): void;
}

const maxFailures = 3;
const pauseMs = 30_000;

interface Connected {
  session: Session;
  /** What the server says now, by its own names. */
  current: ReadonlyMap<string, EnrolledTool>;
  listing?: Promise<void> | undefined;
  /** Its end was counted as a failure, once for all calls that it ended. */
  counted?: boolean;
}

export class ServerLink {
  readonly #sdk: Sdk;
  readonly #options: LinkOptions;
  #connected: Promise<Connected> | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #closed = false;
  #reported = '';

  constructor(sdk: Sdk, options: LinkOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  /** The first connection: pins what is new and gives the tools that can be used. Rejects when there is no connection. */
  async open(): Promise<Enrolled> {
    const { server, pins, rules, onReport } = this.#options;
    const session = await Session.open(this.#sdk, this.#options);
    try {
      const pinned = await pins.get(server);
      const enrolled = enrol(server, await session.list(), pinned ?? [], rules);
      const { report, usable } = enrolled;
      const isNew = new Set(report.tools.filter(({ status }) => status === 'new').map(({ tool }) => tool));
      const added = usable.filter(({ definition }) => isNew.has(definition.name));
      // A server without tools is known from now on, too.
      if (pinned === undefined || added.length > 0) {
        await pins.accept(
          server,
          added.map(({ definition, fingerprint }) => ({ name: definition.name, fingerprint, definition })),
        );
      }
      this.#connected = Promise.resolve({ session, current: byName(report) });
      onReport(report);
      return enrolled;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Rejects with an Error in words for the model, or with the signal's reason. */
  async call(tool: UsableTool, args: unknown, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#callOnce(tool, args, signal);
    } catch (error) {
      if (error instanceof SessionLostError) return await this.#callOnce(tool, args, signal);
      throw error;
    }
  }

  /** Ends the connection. More than once is the same as once. */
  async close(): Promise<void> {
    this.#closed = true;
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await connected?.session.close();
  }

  async #callOnce(tool: UsableTool, args: unknown, signal: AbortSignal): Promise<unknown> {
    const { server, timeoutMs } = this.#options;
    const connected = await until(this.#connection(), signal);
    const { session } = connected;
    try {
      await until(this.#fresh(connected), signal);
      await this.#check(tool, connected.current.get(tool.definition.name));
      const result = await session.call(tool.definition.name, args, { timeoutMs, signal });
      this.#failures = 0;
      return readResult(result, server);
    } catch (error) {
      if (error instanceof SessionLostError) await session.close();
      else if (session.ended && !connected.counted) {
        connected.counted = true;
        this.#countFailure();
      }
      throw error;
    }
  }

  async #connection(): Promise<Connected> {
    for (;;) {
      if (this.#closed) throw new Error(`the connection to the MCP server "${this.#options.server}" was closed`);
      const seen = this.#connected;
      const connected = await seen?.catch(() => undefined);
      if (connected && !connected.session.ended) return connected;
      if (this.#connected !== seen) continue;
      if (performance.now() < this.#pausedUntil) {
        throw new Error(
          `the MCP server "${this.#options.server}" failed ${maxFailures} times in a row and is left alone for ${pauseMs / 1_000} s: do without it`,
        );
      }
      this.#connected = this.#reconnect();
      return await this.#connected;
    }
  }

  async #reconnect(): Promise<Connected> {
    try {
      const session = await Session.open(this.#sdk, this.#options);
      const connected: Connected = { session, current: new Map() };
      await this.#list(connected).catch(async (error: unknown) => {
        await session.close();
        throw error;
      });
      if (this.#closed) await session.close();
      return connected;
    } catch (error) {
      this.#countFailure();
      throw error;
    }
  }

  #countFailure(): void {
    this.#failures += 1;
    if (this.#failures < maxFailures) return;
    this.#failures = 0;
    this.#pausedUntil = performance.now() + pauseMs;
  }

  /** Lists again after a notice, once for all calls that wait. */
  async #fresh(connected: Connected): Promise<void> {
    if (connected.session.stale) {
      connected.listing ??= this.#list(connected).finally(() => {
        connected.listing = undefined;
      });
    }
    await connected.listing;
  }

  async #list(connected: Connected): Promise<void> {
    const { server, pins, rules, onReport } = this.#options;
    try {
      const { report } = enrol(server, await connected.session.list(), (await pins.get(server)) ?? [], rules);
      const late = { ...report, tools: report.tools.map(withoutLateTrust) };
      connected.current = byName(late);
      const told = late.tools.map(({ tool, status, fingerprint }) => `${tool} ${status} ${fingerprint}`).join('\n');
      const isNews = late.gone.length > 0 || late.tools.some(({ status }) => status !== 'known');
      if (isNews && told !== this.#reported) onReport(late);
      this.#reported = told;
    } catch (error) {
      connected.session.stale = true;
      throw error;
    }
  }

  async #check(tool: UsableTool, now: EnrolledTool | undefined): Promise<void> {
    const { server, pins } = this.#options;
    const name = visibleLine(tool.definition.name, 80);
    if (!now?.definition) throw new Error(`the MCP server "${server}" no longer offers ${name}: do without it`);
    if (now.fingerprint === tool.fingerprint) return;
    const accepted = (await pins.get(server))?.find((pin) => pin.name === tool.definition.name);
    if (accepted && accepted.fingerprint === now.fingerprint) return;
    const places = differencePlaces(differences(tool.definition, now.definition));
    throw new Error(
      `the MCP server "${server}" changed ${modelText(name, 80)} after it was accepted: ${places}. It is blocked until a person has looked at the change and accepted it with acceptPins; do without it`,
    );
  }
}

function byName({ tools }: McpEnrolment): ReadonlyMap<string, EnrolledTool> {
  return new Map(tools.map((tool) => [tool.tool, tool]));
}

function withoutLateTrust(tool: EnrolledTool): EnrolledTool {
  if (tool.status !== 'new') return tool;
  const note = 'it appeared after the connection was made: it can be used from the next one on';
  return { ...tool, status: 'left-out', notes: [note, ...tool.notes] };
}

/** The promise, or the signal's reason when that comes first. */
async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
