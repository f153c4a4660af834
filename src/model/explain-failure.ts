export type FailureKind =
  | 'rate-limit'
  | 'overloaded'
  | 'server'
  | 'connection'
  | 'interrupted'
  | 'auth'
  | 'bad-request'
  | 'not-found'
  | 'content-filter'
  | 'aborted'
  | 'unknown';

/** Facts that a message may name. */
export interface FailureFacts {
  text: string;
  /** Type and code words of the provider, for example `rate_limit_error`. */
  words?: string;
  status?: number | undefined;
  /** Origin and path, without query and credentials. */
  url?: string | undefined;
  model?: string | undefined;
  code?: string | undefined;
}

/** How vendors and servers say it; hardly two of them alike. */
const contextTooLong =
  /context.?(length|window|size)|maximum.{0,20}(context|tokens)|max(?:imum)? (?:prompt|model) length|too (long|many tokens)|token (?:limit|count)|range of input length|reduce the length of the messages|prompt 超长/i;
const longest = 500;

/** One paragraph for a human: what happened, where, what the provider said, and what to do. */
export function explain(kind: FailureKind, facts: FailureFacts): string {
  const said = excerpt(facts.text);
  if (kind === 'unknown' && !facts.url) return said || 'The model call failed and gave no reason.';
  const { what, remedy } = wordingOf(kind, facts);
  const reason = facts.status ?? facts.code;
  const where = `${facts.url ? ` at ${facts.url}` : ''}${reason === undefined ? '' : ` (${reason})`}`;
  return `${what}${where}${said ? `: "${said}"` : ''}. ${remedy}`;
}

function wordingOf(kind: FailureKind, facts: FailureFacts): { what: string; remedy: string } {
  switch (kind) {
    case 'rate-limit':
      return /insufficient_quota|billing|credit/i.test(facts.words ?? facts.text)
        ? { what: 'The account of this key has nothing left', remedy: 'Add credit, or use another key or model.' }
        : {
            what: 'The provider limits the rate of calls',
            remedy: 'Wait, lower the concurrency, or use another model.',
          };
    case 'overloaded':
      return { what: 'The provider is overloaded', remedy: 'Wait, or use another model.' };
    case 'server':
      return { what: 'The provider failed', remedy: 'Try again later, or use another model.' };
    case 'connection':
      return { what: 'No connection to the model server', remedy: connectionRemedy(facts) };
    case 'auth':
      return {
        what: 'The provider refused the key',
        remedy: 'Check that the API key is set, valid, and allowed to use this model.',
      };
    case 'not-found':
      return {
        what: `The provider does not know ${facts.model ? `the model "${facts.model}"` : 'what was asked for'}`,
        remedy: 'Check the model id and the base URL.',
      };
    case 'content-filter':
      return {
        what: 'The content filter of the provider refused the request',
        remedy: 'Rephrase the task, or use another model.',
      };
    case 'bad-request':
      return badRequest(facts);
    default:
      return {
        what: 'The answer could not be read',
        remedy: 'Check that the base URL leads to the API of this provider.',
      };
  }
}

function badRequest(facts: FailureFacts): { what: string; remedy: string } {
  if (facts.status === 413 || contextTooLong.test(`${facts.words} ${facts.text}`)) {
    return {
      what: 'The request is longer than the model accepts',
      remedy: 'Use a model with a larger context, fewer or shorter documents, or fewer steps.',
    };
  }
  return {
    what: 'The provider refused the request',
    remedy: 'Check that the model supports what was asked for (tools, response format, temperature).',
  };
}

function connectionRemedy(facts: FailureFacts): string {
  if (facts.code === 'ECONNREFUSED') return 'Start the server, or correct the base URL.';
  if (facts.code === 'ENOTFOUND' || facts.code === 'ERR_INVALID_URL')
    return 'Correct the host name in the base URL, or check the network.';
  if (facts.code && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/.test(facts.code)) {
    return 'Its certificate is not accepted: correct the base URL, or add the certificate (NODE_EXTRA_CA_CERTS).';
  }
  return 'Check the network and the base URL, then try again.';
}

/** Providers quote the key they refuse, and servers quote headers. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\b(Bearer|Basic)\s+[^\s"',]+/gi, '$1 [secret]')
    .replace(/\b((sk|pk|rk|gsk|xai)[-_]|AIza)[A-Za-z0-9_*-]{8,}/g, '[secret]')
    .replace(/([?&](?:key|token|api[-_]?key)=)[^&\s"]+/gi, '$1[secret]')
    .replace(/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, '$1');
}

function excerpt(text: string): string {
  const line = withoutSecrets(text).replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
