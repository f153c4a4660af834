/** Tokens in a JSON file of their hashes: `{ "tokens": [ … ] }`. A change of the file holds at once, so a token can be revoked. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { messageOf, UsageError } from '../core/errors.ts';
import { createToken, StoredToken, type TokenSource, tokenList } from './tokens.ts';

const TokenFile: z.ZodType<{ tokens: StoredToken[] }> = z.strictObject({ tokens: z.array(StoredToken) });

/** The file is looked at again after this long. */
const lookAgainMs = 1_000;
const writableByOthers = 0o022;

/**
 * The tokens of a file. Throws `UsageError` when it cannot be read, is no token file, or may be written by others than its owner. A file
 * that is broken later keeps out every token until it is whole again: a revoked one must not live on because of a slip.
 */
export function tokenFile(file: string, options: { onBroken?(error: Error): void } = {}): TokenSource {
  let known = { source: tokenList(readTokens(file)), version: versionOf(file), looked: Date.now() };
  const current = (): TokenSource => {
    if (Date.now() - known.looked < lookAgainMs) return known.source;
    const version = versionOf(file);
    if (version !== known.version) known = { source: reread(file, options), version, looked: Date.now() };
    else known = { ...known, looked: Date.now() };
    return known.source;
  };
  return { find: (id) => current().find(id), tenants: () => current().tenants() };
}

/** Adds a new token to the file, which is created when it is not there, and gives the token: the only time it is seen. */
export function addToken(file: string, options: Parameters<typeof createToken>[0]): string {
  const before = versionOf(file) === 'absent' ? [] : readTokens(file);
  const { token, stored } = createToken(options);
  writeTokens(file, [...before, stored]);
  return token;
}

/** Takes a token out of the file. False when there was none with this id. */
export function revokeToken(file: string, id: string): boolean {
  const before = readTokens(file);
  const left = before.filter((token) => token.id !== id);
  if (left.length < before.length) writeTokens(file, left);
  return left.length < before.length;
}

/** The records in a file. Throws `UsageError` that says what is wrong with it. */
export function readTokens(file: string): StoredToken[] {
  let text: string;
  try {
    if ((statSync(file).mode & writableByOthers) !== 0) {
      throw new UsageError('others may write it, and who writes it makes tokens. Run: chmod 600 on it');
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The token file ${file} cannot be used: ${messageOf(error)}.`, { cause: error });
  }
  const parsed = TokenFile.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data.tokens;
  const issue = parsed.error.issues[0];
  throw new UsageError(
    `The token file ${file} is no token file (${issue?.path.join('.') || 'the value'}: ${issue?.message}). Correct it, or make tokens with \`assay tokens create\`.`,
  );
}

function reread(file: string, options: { onBroken?(error: Error): void }): TokenSource {
  try {
    return tokenList(readTokens(file));
  } catch (error) {
    options.onBroken?.(error instanceof Error ? error : new Error(messageOf(error)));
    return tokenList([]);
  }
}

function writeTokens(file: string, tokens: readonly StoredToken[]): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs}-${found.size}-${found.ino}` : 'absent';
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The token file ${file} is no JSON: ${messageOf(error)}. Correct it or put back a copy.`);
  }
}
