/**
 * What a statement may do in SQLite, judged by SQLite.
 *
 * 1. A reading connection is opened read-only, refuses writes (`query_only`), keeps temporary data in memory, loads no
 *    extension and trusts no function that the schema of the file calls.
 * 2. The authorizer, where Node has one (24.10 and later), allows a short list of actions while a statement is compiled.
 * 3. The compiled program is looked at before it runs, in every version of Node: opcodes that write, attach a file, vacuum or
 *    touch transactions refuse the statement. A statement that cannot be explained is refused.
 * 4. One statement: SQLite itself says where the first one ends.
 *
 * Node's permission model is no part of this: `VACUUM INTO` writes its file under `--permission` (tried with 22.18 and 24.21).
 */
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../../core/errors.ts';

export interface GuardedDatabase {
  readonly database: DatabaseSync;
  /** Compiles the one statement of `sql`, or throws why it is refused. */
  prepare(sql: string): StatementSync;
}

/** What stands behind a refusal, for the message of the error that SQLite throws for it. */
interface Refusals {
  last: string | undefined;
}

/** Opens an existing file. `write` allows INSERT, UPDATE and DELETE, and nothing else. */
export function openGuarded(file: string, options: { write: boolean; busyMs: number }): GuardedDatabase {
  const { write, busyMs } = options;
  const url = pathToFileURL(file);
  // Without a mode, SQLite would create a file that does not exist.
  url.search = write ? 'mode=rw' : 'mode=ro';
  const database = new DatabaseSync(url, {
    readOnly: !write,
    timeout: busyMs,
    // Older versions of Node ignore these two.
    defensive: true,
    limits: { attach: 0 },
  });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON');
  if (!write) database.exec('PRAGMA query_only = ON');
  const refusals: Refusals = { last: undefined };
  authorize(database, write, refusals);
  return { database, prepare: (sql) => prepareOne(database, sql, { write, refusals }) };
}

/** Pragmas that only read and may be asked about a table or an index. */
const pragmasWithArgument = new Set([
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'foreign_key_check',
  'integrity_check',
  'quick_check',
]);

/** Pragmas that only read as long as no value is given. SQLite's own full-text tables ask for the last two. */
const pragmasWithoutArgument = new Set([
  ...pragmasWithArgument,
  'database_list',
  'collation_list',
  'compile_options',
  'function_list',
  'module_list',
  'pragma_list',
  'encoding',
  'foreign_keys',
  'user_version',
  'application_id',
  'schema_version',
  'page_count',
  'freelist_count',
  'page_size',
  'data_version',
]);

const refusedFunctions = new Set(['load_extension', 'fts3_tokenizer']);

function authorize(database: DatabaseSync, write: boolean, refusals: Refusals): void {
  // Absent before Node 24.10; invariant 3 holds there.
  if (typeof database.setAuthorizer !== 'function') return;
  const reads = new Set([constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_RECURSIVE]);
  const changes = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE]);
  const shadows = shadowTables(database);
  const allows = (action: number, first: string | null, second: string | null): boolean => {
    if (action === constants.SQLITE_FUNCTION) return !refusedFunctions.has((second ?? '').toLowerCase());
    if (changes.has(action)) return write || shadows.has(first ?? '');
    if (action !== constants.SQLITE_PRAGMA) return reads.has(action);
    return (second === null ? pragmasWithoutArgument : pragmasWithArgument).has((first ?? '').toLowerCase());
  };
  database.setAuthorizer((action, first, second) => {
    if (allows(action, first, second)) return constants.SQLITE_OK;
    refusals.last = actionName(action, first, second);
    return constants.SQLITE_DENY;
  });
}

/**
 * The tables that hold the data of virtual ones. An R-tree compiles statements that would change its own as soon as it is opened;
 * a statement of the model that changes them is refused by the other guards.
 */
function shadowTables(database: DatabaseSync): ReadonlySet<string> {
  const found = database.prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'`).all();
  return new Set(found.map(({ name }) => String(name)));
}

function actionName(action: number, first: string | null, second: string | null): string {
  if (action === constants.SQLITE_FUNCTION) return `the function ${second}`;
  if (action === constants.SQLITE_PRAGMA) return `PRAGMA ${first}${second === null ? '' : ' with a value'}`;
  const found = Object.entries(constants).find(([name, code]) => code === action && !/_CHANGESET_|_OK$/.test(name));
  return (found?.[0] ?? `action ${action}`).replace('SQLITE_', '').replaceAll('_', ' ');
}

interface Judging {
  write: boolean;
  refusals: Refusals;
}

function prepareOne(database: DatabaseSync, text: string, judging: Judging): StatementSync {
  if (text.includes('\0')) throw new Error('the statement contains a NUL character: leave it out');
  const sql = text.toWellFormed();
  if (isBlank(sql)) throw new Error('there is no statement: send one');
  const statement = compile(database, sql, judging);
  if (!isBlank(sql.slice(statement.sourceSQL.length))) {
    throw new Error('several statements are refused: send one statement in a call');
  }
  const refused = refusedPart(database, sql, { statement, ...judging });
  if (refused !== undefined) throw refusal(refused, judging.write);
  return statement;
}

/** Nothing but space, semicolons and comments. What follows the first statement is never compiled, so this is only a courtesy. */
function isBlank(sql: string): boolean {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\s;\ufeff]+/g, '') === '';
}

function compile(database: DatabaseSync, sql: string, { write, refusals }: Judging): StatementSync {
  refusals.last = undefined;
  try {
    return database.prepare(sql);
  } catch (error) {
    throw refusals.last === undefined ? new Error(messageOf(error)) : refusal(refusals.last, write);
  }
}

function refusal(what: string, write: boolean): Error {
  const remedy = write
    ? 'this tool runs one INSERT, UPDATE or DELETE'
    : 'this tool only reads: SELECT, VALUES, WITH … SELECT, EXPLAIN, and PRAGMA such as table_info';
  return new Error(`${what} is refused: ${remedy}`);
}

/** With what SQLite counts as not read-only (sqlite3_stmt_readonly), what it counts as reading although it has effects. */
const refusedOpcodes = new Set([
  'AutoCommit',
  'Checkpoint',
  'CreateBtree',
  'Destroy',
  'DropIndex',
  'DropTable',
  'DropTrigger',
  'IncrVacuum',
  'JournalMode',
  'LoadAnalysis',
  'MaxPgcnt',
  'ParseSchema',
  'Savepoint',
  'SetCookie',
  'SqlExec',
  'VCreate',
  'VDestroy',
  'VRename',
  'Vacuum',
]);
const writingOpcodes = new Set(['OpenWrite', 'VBegin', 'VUpdate']);
const refusedCalls = /^(?:sqlite_attach|sqlite_detach|load_extension|fts3_tokenizer)\(/i;

/** What in the compiled program refuses the statement, if anything. */
function refusedPart(
  database: DatabaseSync,
  sql: string,
  judged: Judging & { statement: StatementSync },
): string | undefined {
  let program: Record<string, unknown>[];
  try {
    program = database.prepare(`EXPLAIN ${sql}`).all();
  } catch (error) {
    // What compiles, but not after EXPLAIN, is an EXPLAIN itself. It describes and runs nothing.
    if (isExplanation(judged.statement)) return undefined;
    throw new Error(`the statement could not be judged and is refused: ${messageOf(error)}`);
  }
  const refused = program.find((line) => isRefused(line, judged.write));
  if (!refused) return undefined;
  return refusedCalls.exec(String(refused['p4']))?.[0].slice(0, -1) ?? `a statement that does ${refused['opcode']}`;
}

function isRefused({ opcode, p2, p4 }: Record<string, unknown>, write: boolean): boolean {
  const name = String(opcode);
  if (refusedOpcodes.has(name)) return true;
  if (name === 'Function' || name === 'PureFunc') return refusedCalls.test(String(p4));
  if (write) return false;
  return writingOpcodes.has(name) || (name === 'Transaction' && Number(p2) !== 0);
}

const explanations = ['addr opcode p1 p2 p3 p4 p5 comment', 'id parent notused detail'];

function isExplanation(statement: StatementSync): boolean {
  const columns = statement.columns();
  return explanations.includes(columns.map(({ name }) => name).join(' '));
}
