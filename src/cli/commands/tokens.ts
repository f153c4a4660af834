import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { addToken, readTokens, revokeToken } from '../../server/token-file.ts';
import { type Scope, scopes } from '../../server/tokens.ts';
import { type Command, type CommandContext, numberOption, printJson, textOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

const dayMs = 86_400_000;

/** `assay tokens …`: who may use the server; the file holds hashes only. */
export const command: Command = async (context) => {
  const [action = 'list', id] = context.args;
  const file = resolve(textOption(context, 'tokens') ?? 'assay.tokens.json');
  if (action === 'create') create(file, context);
  else if (!existsSync(file)) throw noFile(file);
  else if (action === 'revoke') revoke(file, id, context);
  else list(file, context);
  return exitCodes.completed;
};

function create(file: string, context: CommandContext): void {
  const days = numberOption(context, 'days');
  const requestsPerMinute = numberOption(context, 'perMinute');
  const daily = { usd: numberOption(context, 'usdPerDay'), runs: numberOption(context, 'runsPerDay') };
  const token = added(file, {
    tenant: textOption(context, 'tenant') ?? 'default',
    scopes: scopesFrom(textOption(context, 'scope')),
    ...(days !== undefined && { expires: Date.now() + days * dayMs }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...((daily.usd !== undefined || daily.runs !== undefined) && { daily }),
  });
  if (context.json) printJson(context, { token, file });
  else {
    context.screen.out(token);
    context.screen.note(`Its hash is in ${file}. The token is shown this once and kept nowhere.`);
  }
}

/** What a token cannot be made from is named as the options name it. */
function added(file: string, options: Parameters<typeof addToken>[1]): string {
  try {
    return addToken(file, options);
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    if (!issue) throw error;
    throw new UsageError(`No token was made: ${issue.message}. Correct --${issue.path.join('.')}.`, { cause: error });
  }
}

function scopesFrom(list: string | undefined): Scope[] {
  const names = (list ?? 'run,approve,read').split(',').map((name) => name.trim());
  return names.map((name) => {
    const scope = scopes.find((known) => known === name);
    if (scope) return scope;
    throw new UsageError(`There is no scope '${name}'. Choose from ${scopes.join(', ')}, separated by commas.`);
  });
}

function noFile(file: string): UsageError {
  return new UsageError(
    `There is no token file ${file}. Make a token with \`assay tokens create\`, or name the file with --tokens.`,
  );
}

function revoke(file: string, id: string | undefined, context: CommandContext): void {
  if (id === undefined) throw new UsageError('Name the token by its id, as `assay tokens list` shows it.');
  if (!revokeToken(file, id)) throw new UsageError(`${file} holds no token with the id '${id}'.`);
  if (context.json) printJson(context, { revoked: id, file });
  else context.screen.out(`Revoked ${id}.`);
}

function list(file: string, context: CommandContext): void {
  const tokens = readTokens(file).map(({ hash: _hash, ...shown }) => shown);
  if (context.json) printJson(context, tokens);
  for (const { id, tenant, scopes: allowed, expires } of context.json ? [] : tokens) {
    const until = expires === undefined ? '' : `  until ${new Date(expires).toISOString().slice(0, 10)}`;
    context.screen.out(`${id}  ${tenant}  ${allowed.join(',')}${until}`);
  }
}
