/** The engine's HTTP interfaces: the ingress (runs), the admin interface (workers, queries, control). */
import { StateError, UsageError } from '../../core/errors.ts';

export interface EngineAddresses {
  /** Where runs are started and signalled, for example `http://127.0.0.1:8080`. */
  ingress: string;
  /** Where workers are registered and runs are looked up. Default: port 9070 of the ingress' host. */
  admin?: string | undefined;
  /** How long one request to the engine may take, in milliseconds. Default 30,000. */
  requestMs?: number | undefined;
}

export interface Answer {
  status: number;
  text: string;
}

interface Question {
  method?: string;
  body?: unknown;
}

const startsUpMs = 10_000;

/** The engine is away or not ready: what was asked may work when it is asked again. */
export class EngineUnavailable extends StateError {}

export class EngineApi {
  readonly ingress: string;
  readonly admin: string;
  readonly #requestMs: number;

  constructor({ ingress, admin, requestMs = 30_000 }: EngineAddresses) {
    this.ingress = addressOf(ingress);
    this.admin = addressOf(admin ?? withPort(this.ingress, '9070'));
    this.#requestMs = requestMs;
  }

  /** A call of a handler; `send` only leaves the request and does not wait for its answer. */
  async call(
    target: { service: string; key: string; handler: string; send?: boolean },
    body: unknown,
  ): Promise<Answer> {
    const { service, key, handler, send } = target;
    return this.#ask(`${this.ingress}/${service}/${encodeURIComponent(key)}/${handler}${send ? '/send' : ''}`, {
      body,
    });
  }

  /** Whether the workflow has that run. Unlike a query this is the engine's last word, also just after a start or a restart. */
  async hasRun(service: string, key: string): Promise<boolean> {
    const url = `${this.ingress}/restate/workflow/${service}/${encodeURIComponent(key)}/output`;
    const { status, text } = await this.#ask(url, { method: 'GET' });
    if (status < 500) return status !== 404;
    throw new EngineUnavailable(`Restate cannot look up run ${key} now (${status}): ${text}. Try again`);
  }

  async manage(path: string, question: Question = {}): Promise<Answer> {
    return this.#ask(`${this.admin}${path}`, question);
  }

  /** The rows of an SQL query over the engine's tables. After a restart the engine takes a moment to find them. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    for (const end = Date.now() + startsUpMs; ; ) {
      const { status, text } = await this.manage('/query', { body: { query: sql } });
      // The engine's answer to a query has this shape.
      if (status === 200) return (JSON.parse(text) as { rows: Record<string, unknown>[] }).rows;
      if (status < 500) throw new StateError(`Restate refused a query (${status}): ${text}`);
      if (Date.now() > end)
        throw new EngineUnavailable(`Restate cannot look up runs now (${status}): ${text}. Try again`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #ask(url: string, { method = 'POST', body }: Question): Promise<Answer> {
    const signal = AbortSignal.timeout(this.#requestMs);
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const response = await fetch(url, { method, headers, signal, ...sent });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { origin } = new URL(url);
      if (signal.aborted) {
        throw new EngineUnavailable(
          `Restate at ${origin} gave no answer in ${this.#requestMs} ms. It keeps what it was sent; see that a worker runs, then try again`,
          { cause: error },
        );
      }
      throw new EngineUnavailable(`Restate cannot be reached at ${origin}: start the server or correct the address`, {
        cause: error,
      });
    }
  }
}

/** A text as it stands in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function addressOf(text: string): string {
  if (!URL.canParse(text)) throw new UsageError(`"${text}" is no address: write it as http://127.0.0.1:8080`);
  return text.replace(/\/+$/, '');
}

function withPort(address: string, port: string): string {
  const url = new URL(address);
  url.port = port;
  return url.origin;
}
