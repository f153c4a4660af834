import { modelServers } from './providers/servers.ts';

/** A server on this machine that may offer a model, and where it listens unless told otherwise. */
export interface LocalServer {
  name: string;
  /** Scheme, host and port, for example `http://127.0.0.1:11434`. */
  origin: string;
  /** `ollama` is asked for its own list, the others for OpenAI's. */
  speaks: 'ollama' | 'openai';
  /** What an id of its models starts with, where it listens at the address that such an id means. */
  prefix?: string;
}

const ollamaPort = '11434';

/** The servers that are looked for, in order of preference, where their variables (`OLLAMA_HOST`, `LMSTUDIO_BASE_URL`, …) say that they are. */
export function localServers(env: NodeJS.ProcessEnv): LocalServer[] {
  const others = modelServers.map(({ prefix, label, baseUrl, baseUrlVariable }): LocalServer => {
    const address = env[baseUrlVariable]?.trim() || baseUrl;
    return { name: label, origin: URL.parse(address)?.origin ?? address, speaks: 'openai', prefix };
  });
  return [{ name: 'Ollama', origin: ollamaOrigin(env), speaks: 'ollama', prefix: 'ollama' }, ...others];
}

/** Where Ollama listens: `OLLAMA_HOST` as Ollama reads it (host, host:port or URL; 0.0.0.0 is this machine), else port 11434. */
export function ollamaOrigin(env: NodeJS.ProcessEnv): string {
  const given = env['OLLAMA_HOST']?.trim();
  if (!given) return `http://127.0.0.1:${ollamaPort}`;
  const hasScheme = /^https?:\/\//i.test(given);
  if (!URL.canParse(hasScheme ? given : `http://${given}`)) return given;
  const url = new URL(hasScheme ? given : `http://${given}`);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (url.port === '' && !hasScheme) url.port = ollamaPort;
  return url.origin;
}

/** Whether a URL names this machine by a loopback address or name. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
}
