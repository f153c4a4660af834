import { StateError } from '../../../core/errors.ts';
import { EngineApi, EngineUnavailable } from '../engine-api.ts';
import {
  type Correction,
  type Hold,
  type Keep,
  limitsServiceName,
  type Take,
  type Taken,
  takenSchema,
} from './limits-protocol.ts';

export interface LimitsClientOptions {
  ingress: string;
  namespace?: string | undefined;
  /** How long one question may take. Default 5,000 ms. */
  requestMs?: number | undefined;
}

/** The questions of a limiter, over the engine's ingress. Each rejects with `EngineUnavailable` when asking again may help. */
export class LimitsClient {
  readonly #ingress: string;
  readonly #service: string;
  readonly #requestMs: number;

  constructor({ ingress, namespace, requestMs = 5_000 }: LimitsClientOptions) {
    this.#ingress = new EngineApi({ ingress }).ingress;
    this.#service = limitsServiceName(namespace);
    this.#requestMs = requestMs;
  }

  /** Asked again under the same id, it is answered as before, so that an answer that was lost costs no second turn. */
  async take(key: string, question: Take, id: string): Promise<Taken> {
    const text = await this.#ask(`${encodeURIComponent(key)}/take`, question, { 'idempotency-key': id });
    return takenSchema.parse(JSON.parse(text));
  }

  /** Leaves the message with the engine. */
  async correct(key: string, correction: Correction): Promise<void> {
    await this.#ask(`${encodeURIComponent(key)}/correct/send`, correction);
  }

  async hold(key: string, hold: Hold): Promise<void> {
    await this.#ask(`${encodeURIComponent(key)}/holdUntil/send`, hold);
  }

  async keep(key: string, keep: Keep): Promise<void> {
    await this.#ask(`${encodeURIComponent(key)}/keep/send`, keep);
  }

  async #ask(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const response = await this.#post(path, body, headers);
    if (response.status < 300) return response.text;
    const said = `Restate at ${this.#ingress} did not take a question about limits (${response.status}): ${response.text}`;
    if (response.status === 404)
      throw new EngineRefused(`${said}. Serve \`limitsService\` there, under this namespace`);
    // A question that an operator killed is answered with 409.
    if (response.status >= 500 || response.status === 429 || response.status === 409) {
      throw new EngineRefused(`${said}. Look at the workers that serve the limits`);
    }
    throw new StateError(`${said}. See that the workers run this version`);
  }

  async #post(path: string, body: object, extra: Record<string, string>): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(this.#requestMs);
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...extra };
    const request = { method: 'POST', headers, signal, body: JSON.stringify(body) };
    try {
      const response = await fetch(`${this.#ingress}/${this.#service}/${path}`, request);
      return { status: response.status, text: await response.text() };
    } catch (cause) {
      const where = `Restate at ${this.#ingress}`;
      if (!signal.aborted) {
        throw new EngineUnavailable(`${where} cannot be reached: start the server or correct the address`, { cause });
      }
      const why = `gave no answer about limits in ${this.#requestMs} ms: see that a worker runs that serves them`;
      throw new EngineSilent(`${where} ${why}`, { cause });
    }
  }
}

/** The engine answered that it could not: that answer is kept, so the question has to be asked under another id. */
export class EngineRefused extends EngineUnavailable {}

/** The engine has the question and no answer yet. */
export class EngineSilent extends EngineUnavailable {}
