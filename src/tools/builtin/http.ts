import * as z from 'zod';
import { type Tool, tool } from '../tool.ts';
import { ApiClient, type HttpOptions, type SendMethod, touchedBy } from './http/client.ts';

export type { AllowedApi } from './http/allow-list.ts';
export type { HttpOptions, SendMethod } from './http/client.ts';

const sendMethods: readonly SendMethod[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

const url = z.string().min(1).max(8_192).describe('The full http or https URL, with its query.');

/** All that the model may say of a request: other headers could change what it is, a method override above all. */
const headers = z
  .partialRecord(
    z.enum([
      'accept',
      'accept-language',
      'if-match',
      'if-modified-since',
      'if-none-match',
      'if-unmodified-since',
      'prefer',
      'range',
    ]),
    z.string().max(1_000),
  )
  .default({})
  .describe('Only when needed; credentials are added by the user.');

/**
 * Tools for JSON APIs of an allow list: `httpGet` (GET and HEAD), `httpSend` for the methods that count as `write` and
 * `httpSendIrreversible` for those that count as `irreversible`. The idempotency key of a call goes out as `Idempotency-Key`.
 *
 * Only URLs of the allow list are requested, also after redirects (which only GET and HEAD follow), and only on addresses of
 * the public internet unless an entry is `private`. Headers of the user, such as `authorization`, belong to an entry: they are
 * sent to its origin only, and replaced in whatever the model sees. Any status but 2xx and 304 is an error with its body.
 * Throws `UsageError` for an entry that cannot be meant.
 */
export function http(options: HttpOptions): Tool[] {
  const client = new ApiClient(options);
  const get = tool({
    name: 'httpGet',
    description: `Requests a URL of an API with GET (or HEAD) and returns status, headers and body. ${allowed(client)}`,
    input: z.object({ url, method: z.enum(['GET', 'HEAD']).default('GET'), headers }),
    effect: 'read',
    timeoutMs: client.toolTimeoutMs,
    markup: 'source',
    touches: (args) => touchedBy(args.url),
    run: (args, { signal }) => client.call(args, signal),
  });
  const senders = (['write', 'irreversible'] as const).flatMap((effect) => {
    const methods = sendMethods.filter((method) => client.effectOf(method) === effect);
    return methods.length === 0 ? [] : [sender(client, effect, methods)];
  });
  return [get, ...senders];
}

function sender(client: ApiClient, effect: 'write' | 'irreversible', methods: SendMethod[]): Tool {
  return tool({
    name: effect === 'write' ? 'httpSend' : 'httpSendIrreversible',
    description: `Sends a request to an API with ${methods.join(', ')} and returns status, headers and body. ${allowed(client)}`,
    input: z.object({
      url,
      method: z.enum(methods),
      headers,
      body: z.unknown().optional().describe('The body, as a JSON value; without it, none is sent.'),
    }),
    effect,
    timeoutMs: client.toolTimeoutMs,
    markup: 'source',
    touches: (args) => touchedBy(args.url),
    run: ({ body, ...request }, { signal, idempotencyKey }) =>
      client.call(
        {
          ...request,
          headers: { ...request.headers, 'idempotency-key': idempotencyKey, ...(body !== undefined && asJson) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        signal,
      ),
  });
}

const asJson = { 'content-type': 'application/json' };

function allowed(client: ApiClient): string {
  return `Allowed: ${client.places.map(({ origin, prefix }) => origin + prefix).join(', ')}.`;
}
