/**
 * Bearer tokens. A token is `assay_ID_SECRET` with 256 random bits in its secret, so its SHA-256 is kept and nothing slower is needed;
 * the id finds the record, the hash is compared in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Limits } from '../core/budget.ts';

/** `run`: start, cancel, resume, fork. `approve`: decide on calls, govern lessons. `read`: look. `metrics`: figures over all tenants. */
export const scopes = ['run', 'approve', 'read', 'metrics'] as const;
export type Scope = (typeof scopes)[number];

/** What a token may use in one day (UTC). */
export interface DailyBudget {
  runs?: number | undefined;
  tokens?: number | undefined;
  usd?: number | undefined;
}

/** Who sends a request, and what it may do. */
export interface Principal {
  /** For limits and for the record of a run; no secret. */
  id: string;
  tenant: string;
  scopes: readonly Scope[];
  requestsPerMinute?: number | undefined;
  /** What one run may ask for at most, in place of the agent's own limits. */
  budget?: Limits | undefined;
  daily?: DailyBudget | undefined;
}

/** A token as it is kept: without its secret. */
export interface StoredToken extends Principal {
  /** SHA-256 of the whole token, hexadecimal. */
  hash: string;
  /** Milliseconds since the epoch. */
  created: number;
  expires?: number | undefined;
}

/** Finds the record of a token by its id. */
export interface TokenSource {
  find(id: string): StoredToken | undefined;
  /** The tenants that tokens name. */
  tenants(): readonly string[];
}

const amount = z.number().nonnegative().optional();
const tenantName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const StoredToken: z.ZodType<StoredToken> = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9]{6,32}$/, 'a token id is 6 to 32 letters and digits'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'a hash is the SHA-256 of the token, 64 hexadecimal digits'),
  tenant: z.string().regex(tenantName, 'a tenant is up to 64 letters, digits, dots, dashes and underscores'),
  scopes: z.array(z.enum(scopes)).min(1),
  created: z.number(),
  expires: z.number().optional(),
  requestsPerMinute: z.number().positive().optional(),
  budget: z.strictObject({ modelCalls: amount, toolCalls: amount, tokens: amount, usd: amount, ms: amount }).optional(),
  daily: z.strictObject({ runs: amount, tokens: amount, usd: amount }).optional(),
});

const tokenShape = /^assay_([A-Za-z0-9]{6,32})_[A-Za-z0-9_-]{43}$/;
const noHash = Buffer.alloc(32);

/** A new token and its record. The token itself is shown once and kept nowhere. */
export function createToken(options: Omit<StoredToken, 'id' | 'hash' | 'created'>): {
  token: string;
  stored: StoredToken;
} {
  const id = randomBytes(6).toString('hex');
  const token = `assay_${id}_${randomBytes(32).toString('base64url')}`;
  const stored = { id, hash: hashOf(token).toString('hex'), created: Date.now(), ...options };
  return { token, stored: StoredToken.parse(stored) };
}

/** Tokens that do not change while the server runs. */
export function tokenList(tokens: readonly StoredToken[]): TokenSource {
  const byId = new Map(tokens.map((token) => [token.id, StoredToken.parse(token)]));
  return {
    find: (id) => byId.get(id),
    tenants: () => [...new Set([...byId.values()].map(({ tenant }) => tenant))],
  };
}

/** The record of a token that is known, right and not expired. */
export function authenticate(source: TokenSource, token: string, now: number = Date.now()): Principal | undefined {
  const id = tokenShape.exec(token)?.[1];
  const stored = id === undefined ? undefined : source.find(id);
  // The same work for an unknown id as for a wrong secret.
  const right = timingSafeEqual(hashOf(token), stored ? Buffer.from(stored.hash, 'hex') : noHash);
  if (!stored || !right || (stored.expires !== undefined && stored.expires <= now)) return undefined;
  const { hash: _hash, created: _created, expires: _expires, ...principal } = stored;
  return principal;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
