import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { StateError } from '../../core/errors.ts';

export interface StreamRequest {
  headers: Readonly<Record<string, string>>;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which a connection counts as dead. Default 30,000. */
  silentMs?: number | undefined;
}

/** A response whose body is read by the caller, and the headers of every response on the way to it. */
export interface StreamResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: IncomingMessage;
  /** Of the redirects that led here, the first one first. A hub says there what the file is; what serves it does not know. */
  redirects: IncomingMessage['headers'][];
}

const mostRedirects = 5;
const usualSilentMs = 30_000;

/**
 * GET with a body of any size, through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Follows redirects; credentials go to
 * the first origin only, and what was asked for over HTTPS does not come over HTTP. Rejects when the connection fails, and the body ends in
 * an error when it breaks or is silent for too long.
 */
export async function getStream(url: string, options: StreamRequest): Promise<StreamResponse> {
  const first = new URL(url);
  const redirects: IncomingMessage['headers'][] = [];
  let target = first;
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const { authorization, ...rest } = options.headers;
    const isFirst = target.origin === first.origin;
    const headers = isFirst && authorization !== undefined ? { ...rest, authorization } : rest;
    const body = await get(target, { ...options, headers });
    const status = body.statusCode ?? 0;
    const { location } = body.headers;
    if (status < 300 || status >= 400 || location === undefined)
      return { status, headers: body.headers, body, redirects };
    body.destroy();
    redirects.push(body.headers);
    target = redirected(location, target);
  }
  throw new StateError(`${url} redirects more than ${mostRedirects} times. Name another source with --from.`);
}

function redirected(location: string, from: URL): URL {
  const target = URL.parse(location, from.href);
  if (target && /^https?:$/.test(target.protocol) && (from.protocol === 'http:' || target.protocol === 'https:'))
    return target;
  throw new StateError(
    `${from.origin} redirects to ${target?.origin ?? 'what is no address'}, where a file cannot be taken from safely. Name another source with --from.`,
  );
}

function get(url: URL, { headers, env, signal, silentMs = usualSilentMs }: StreamRequest): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const agent = agentFor(isSecure, env);
  return new Promise((resolve, reject) => {
    const asked = (isSecure ? secureRequest : plainRequest)(url, {
      headers: { 'user-agent': 'assay', 'accept-encoding': 'identity', ...headers },
      agent,
      timeout: silentMs,
      ...(signal && { signal }),
    });
    asked.on('timeout', () =>
      asked.destroy(new Error(`nothing came from ${url.host} for ${silentMs / 1_000} seconds`)),
    );
    asked.on('error', reject);
    asked.on('response', resolve);
    asked.end();
  });
}

function agentFor(isSecure: boolean, env: NodeJS.ProcessEnv): PlainAgent | SecureAgent {
  const proxyEnv = proxiesIn(env);
  if (proxyEnv && !knowsProxies()) {
    throw new StateError(
      `A proxy is set (${Object.keys(proxyEnv).join(', ')}), and Node ${process.versions.node} cannot use one. ` +
        'Use Node 22.21, 24.5 or newer, or get the file by other means and import it: assay models pull NAME --file PATH',
    );
  }
  const options = { keepAlive: false, ...(proxyEnv && { proxyEnv }) };
  return isSecure ? new SecureAgent(options) : new PlainAgent(options);
}

function proxiesIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined {
  const names = ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const given = names.flatMap((name) => (env[name]?.trim() ? [[name, env[name]] as const] : []));
  return given.some(([name]) => !/^no_proxy$/i.test(name)) ? Object.fromEntries(given) : undefined;
}

function knowsProxies(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}
