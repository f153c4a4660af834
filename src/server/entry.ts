/** What `assay/server` gives. */

export type { RunCursor, RunIndex, RunRow, RunRowQuery, RunStatus, Spent } from '../runtime/run-index.ts';
export {
  type ChatContext,
  type ChatHandler,
  type ChatOptions,
  chatCompletions,
  modelList,
} from './chat/chat-completions.ts';
export { type Listening, type ListenOptions, listen, nodeHandler } from './listen.ts';
export { type McpContext, type McpHttpHandler, type McpHttpOptions, mcpHttpHandler } from './mcp/http.ts';
export { type McpServerOptions, mcpServer } from './mcp/mcp-server.ts';
export { allRuns, type McpRuns } from './mcp/runs.ts';
export { serveMcpStdio } from './mcp/stdio.ts';
export type { Mount, MountContext, PrincipalRuns } from './mount.ts';
export { inMemoryRunIndex } from './run-index.ts';
export { type AssayServer, createServer } from './server.ts';
export {
  type Authenticate,
  defaultServerLimits,
  type SampleTask,
  type ServerLimits,
  type ServerOptions,
  type TenantOptions,
} from './server-options.ts';
export { sqliteRunIndex } from './sqlite-run-index.ts';
export { addToken, readTokens, revokeToken, tokenFile } from './token-file.ts';
export {
  authenticate,
  createToken,
  type DailyBudget,
  type Principal,
  type Scope,
  type StoredToken,
  scopes,
  type TokenSource,
  tokenList,
} from './tokens.ts';
