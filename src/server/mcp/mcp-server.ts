/**
 * The agent as an MCP server with the tools `solve`, `resume` and `approve`.
 *
 * 1. A run belongs to its journal and not to the connection: whoever loses the one resumes the other. Only a cancelled request cancels.
 * 2. A call that needs a human is put before them by the client where it can (elicitation); else the result says what waits and how to decide.
 * 3. Where the client can ask its user, no model approves: the tool `approve` asks them too.
 */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Agent } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { Decision } from '../../core/turn.ts';
import type { RunInfo } from '../../runtime/durable.ts';
import { storedResult } from '../../stored-result.ts';
import type { WaitingCall } from '../approvals.ts';
import { problemOf } from '../problem.ts';
import { askHuman, canAsk } from './ask-human.ts';
import { type Extra, followRun } from './follow-run.ts';
import { approveText, instructions, resumeText, solveText } from './prompts.ts';
import { contentOf, RunReport, resultReport, waitingReports } from './run-report.ts';
import { allRuns, type McpRuns, waitingIn } from './runs.ts';
import { loadServerSdk } from './sdk.ts';

export interface McpServerOptions {
  agent: Agent;
  /** The runs this client may touch. Default: all of the agent's host. */
  runs?: McpRuns;
  /** The server's name for clients. Default `assay`. */
  name?: string;
  version?: string;
  /** Milliseconds in which a human answers an elicitation, after which the call waits on. Default ten minutes. */
  approvalMs?: number;
  /** Told of what went wrong inside; the client sees none of it. */
  onError?(error: unknown): void;
}

/** A server for one connection; `connect` it to a transport of the SDK. Throws `UsageError` when the SDK is not installed. */
export async function mcpServer(options: McpServerOptions): Promise<McpServer> {
  return (await connectionOf(options)).server;
}

/** A server with what its host has to know of it. */
export interface Connection {
  server: McpServer;
  /** Whether a tool is at work. */
  isBusy(): boolean;
}

export async function connectionOf(options: McpServerOptions): Promise<Connection> {
  const { McpServer: Server } = await loadServerSdk();
  const info = { name: options.name ?? 'assay', version: options.version ?? '1' };
  const server = new Server(info, { instructions, capabilities: { tools: {} } });
  const tools = new Tools(server, options);
  tools.register();
  return { server, isBusy: () => tools.busy > 0 };
}

const solveInput = {
  task: z.string().describe('What the agent should do, with everything it has to know.'),
  constraints: z.array(z.string()).optional().describe('Conditions the answer must meet, one each.'),
  schema: z.record(z.string(), z.json()).optional().describe('A JSON Schema: the answer is then JSON that fits it.'),
};
const runInput = { run_id: z.string() };
const approveInput = {
  ...runInput,
  call: z.string().optional().describe('One of the waiting calls; may be left out when only one waits.'),
  decision: z.enum(['approve', 'deny']).optional().describe('Without it the waiting calls are listed.'),
  reason: z.string().optional().describe('For a denial: what the agent should know.'),
};

class Tools {
  busy = 0;
  #isClosed = false;
  readonly #server: McpServer;
  readonly #runs: McpRuns;
  readonly #options: McpServerOptions;

  constructor(server: McpServer, options: McpServerOptions) {
    this.#server = server;
    this.#options = options;
    this.#runs = options.runs ?? allRuns(options.agent);
    server.server.onclose = () => {
      this.#isClosed = true;
    };
  }

  register(): void {
    const outputSchema = RunReport;
    const open = { openWorldHint: true, readOnlyHint: false };
    this.#server.registerTool(
      'solve',
      {
        description: solveText,
        inputSchema: solveInput,
        outputSchema,
        annotations: { ...open, title: 'Solve a task' },
      },
      ({ task, constraints = [], schema }, extra) =>
        this.#guarded(async () => {
          // What zod calls JSON is JSON; only the names of the types differ.
          const more = schema === undefined ? {} : { outputSchema: schema as JsonSchema };
          const { run } = await this.#runs.start({ input: task, constraints, ...more }, {});
          return this.#followed(run, extra, schema !== undefined);
        }),
    );
    this.#server.registerTool(
      'resume',
      {
        description: resumeText,
        inputSchema: runInput,
        outputSchema,
        annotations: { ...open, title: 'Go on with a run' },
      },
      ({ run_id }, extra) =>
        this.#guarded(async () => {
          const info = await this.#infoOf(run_id);
          const { run } = await this.#runs.resume(run_id);
          return this.#followed(run, extra, wantsJson(info));
        }),
    );
    const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, title: 'Decide on a call' };
    this.#server.registerTool(
      'approve',
      { description: approveText, inputSchema: approveInput, outputSchema, annotations },
      (args, extra) => this.#guarded(() => this.#approve(args, extra)),
    );
  }

  async #followed(run: Parameters<typeof followRun>[0], extra: Extra, isJson: boolean): Promise<CallToolResult> {
    const { result, waiting } = await followRun(run, {
      server: this.#server,
      runs: this.#runs,
      extra,
      approvalMs: this.#approvalMs,
      isClosed: () => this.#isClosed,
    });
    return resultReport(result, waiting, isJson);
  }

  async #approve(args: z.infer<z.ZodObject<typeof approveInput>>, extra: Extra): Promise<CallToolResult> {
    const { run_id: runId, decision: word } = args;
    const { info, waiting } = await waitingIn(this.#runs, runId);
    if (word === undefined) return listed(runId, info, waiting);
    const call = chosen(waiting, args.call);
    const decision = await this.#decisionOn(call, { approved: word === 'approve', reason: args.reason }, extra);
    if (!decision) return listed(runId, info, waiting);
    const written = await this.#runs.decide(runId, call.signal, decision);
    const left = waiting.filter((other) => other !== call);
    const said = decision.approved ? 'approved' : `denied (${decision.reason ?? 'no reason was given'})`;
    const reason =
      written === 'already'
        ? 'somebody else had decided on this call before; that decision holds'
        : `the call ${call.call} is ${said}; ${left.length} more wait. Call resume to go on.`;
    return contentOf(
      {
        run_id: runId,
        status: left.length > 0 ? 'awaiting_approval' : 'running',
        reason,
        waiting: waitingReports(left),
      },
      left,
    );
  }

  /** A yes is the user's own where the client can ask them; a no needs nobody. */
  async #decisionOn(call: WaitingCall, decision: Decision, extra: Extra): Promise<Decision | undefined> {
    if (!decision.approved || !canAsk(this.#server)) return decision;
    const { requestId, signal } = extra;
    return askHuman(call, { server: this.#server, requestId, signal, timeoutMs: this.#approvalMs });
  }

  async #infoOf(runId: string): Promise<RunInfo> {
    const info = await this.#runs.info(runId);
    if (info) return info;
    throw new UsageError(`There is no run '${runId}'. The result of solve names the run under run_id.`);
  }

  get #approvalMs(): number {
    return this.#options.approvalMs ?? 600_000;
  }

  /** Errors as the result of the tool, in words that tell nothing of the inside. */
  async #guarded(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
    this.busy++;
    try {
      return await work();
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status >= 500) this.#options.onError?.(error);
      return { content: [{ type: 'text', text: problem.message }], isError: true };
    } finally {
      this.busy--;
    }
  }
}

function listed(runId: string, info: RunInfo, waiting: readonly WaitingCall[]): CallToolResult {
  const isWaiting = waiting.length > 0;
  const report: RunReport = {
    run_id: runId,
    status: isWaiting ? 'awaiting_approval' : (storedResult(info)?.status ?? 'running'),
    reason: isWaiting ? `${waiting.length} call(s) wait for a decision` : `no call waits; the run is ${info.state}`,
    waiting: waitingReports(waiting),
  };
  return contentOf(report, waiting);
}

function chosen(waiting: readonly WaitingCall[], named: string | undefined): WaitingCall {
  const [only] = waiting;
  if (named === undefined && only && waiting.length === 1) return only;
  const found = waiting.find(({ call, callId }) => call === named || callId === named);
  if (found) return found;
  if (!only) throw new UsageError('No call of this run waits for a decision. Call resume to see how it stands.');
  throw new UsageError(`Name one of the waiting calls: ${waiting.map(({ call }) => call).join(', ')}.`);
}

/** Whether the answer of a stored run is JSON. */
function wantsJson({ input }: RunInfo): boolean {
  const task: unknown = Reflect.get(Object(input), 'task');
  return Reflect.get(Object(task), 'outputSchema') !== undefined;
}
