import type { Agent } from '../agent.ts';
import type { Json } from '../core/json.ts';
import type { EvaluationShelf } from '../evals/evaluation-shelf.ts';
import type { LessonStore } from '../memory/memory.ts';
import type { RunIndex } from '../runtime/run-index.ts';
import type { EventStore } from '../trace/events.ts';
import type { Mount } from './mount.ts';
import type { Principal, Scope, TokenSource } from './tokens.ts';

/** Asked for with every request when it is set. Undefined refuses the request. */
export type Authenticate = (request: Request) => Principal | undefined | Promise<Principal | undefined>;

/** What one tenant has for itself. */
export interface TenantOptions {
  /** In place of the agents all share. A tenant whose agents remember lessons needs agents of its own. */
  agents?: Readonly<Record<string, Agent>>;
  /** The lessons it may see and govern: of the scope where one is named, else all of the store. */
  lessons?: { store: LessonStore; scope?: string };
}

/** A task that a page offers to start with. */
export interface SampleTask {
  title: string;
  task: string;
  /** Default: the first. */
  agent?: string;
}

export interface ServerLimits {
  /** Bytes of a request body. Default 1 MiB. */
  bodyBytes: number;
  /** Levels of nesting in a body. Default 64. */
  jsonDepth: number;
  /** Milliseconds in which a body has to arrive. Default 10,000. */
  bodyMs: number;
  /** Requests a minute of one token that names no number; of one address for requests without a valid token a tenth. Default 6,000. */
  requestsPerMinute: number;
  /** Runs that are live at once. Default 256. */
  liveRuns: number;
  /** Requests that may wait until one of those is over. Default 1,024. */
  queuedRuns: number;
  /** Milliseconds such a request waits at most. Default 30,000. */
  queueMs: number;
  /** Milliseconds that `wait` keeps a response back at most. Default 300,000. */
  waitMs: number;
  /** Open event streams. Default 1,024. */
  eventStreams: number;
  /** Milliseconds between two signs of life on an event stream. Default 15,000. */
  heartbeatMs: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 1_048_576,
  jsonDepth: 64,
  bodyMs: 10_000,
  requestsPerMinute: 6_000,
  liveRuns: 256,
  queuedRuns: 1_024,
  queueMs: 30_000,
  waitMs: 300_000,
  eventStreams: 1_024,
  heartbeatMs: 15_000,
};

export interface ServerOptions {
  /** The agent of a server that has one; its name in requests is `default`. */
  agent?: Agent;
  /** Agents by the name that requests give. The first is used when none is named. */
  agents?: Readonly<Record<string, Agent>>;
  /** Where the agents' events are stored: each agent has `events.sink()` among its sinks. */
  events: Pick<EventStore, 'read' | 'subscribe'>;
  /** The lessons of the tenant `default`. */
  lessons?: LessonStore;
  /** What lists and daily budgets are read from. Default: in memory, for hosts in memory. */
  index?: RunIndex;
  /** Tokens, or a function of the host's own. Without it every request is the tenant `default`'s, and only loopback is served. */
  auth?: { tokens: TokenSource } | { authenticate: Authenticate };
  /** By name. A tenant that is not named has the shared agents and no lessons. */
  tenants?: Readonly<Record<string, TenantOptions>>;
  limits?: Partial<ServerLimits>;
  /** The default agent as an MCP server at `/mcp`. Needs `@modelcontextprotocol/sdk`. Default false. */
  mcp?: boolean;
  /** Other protocols on the same server. */
  mounts?: readonly Mount[];
  /** Origins whose pages may use the server. Default none. */
  cors?: { origins: readonly string[] };
  /** Where the server is mounted when what it is mounted in does not take the prefix off, such as `/api/assay`. */
  basePath?: string;
  /** The built files of a page, such as the inspector's, served at `/`: read once, when the server is made. Default none. */
  page?: { folder: string };
  /** Tasks that the page offers. */
  samples?: readonly SampleTask[];
  /** What `GET /v1/evaluations` answers from, to the tenant `default`. Default none. */
  evaluations?: EvaluationShelf;
  /** What whoever needs no token may do; for a server without `auth`. Default everything. */
  localScopes?: readonly Scope[];
  /** Of the program, for those who ask what they talk to. */
  version?: string;
  /** Stored with each run beside the server's own record, for whoever has to build its agent again. */
  settings?: { [key: string]: Json };
  /** In place of `settings` for runs of single agents, by their name. */
  agentSettings?: Readonly<Record<string, { [key: string]: Json }>>;
  /** Told of what went wrong inside; the client sees none of it. */
  onError?(error: unknown): void;
}

/** The tenant of whoever needs no token, and of runs that no server started. */
export const defaultTenant = 'default';
