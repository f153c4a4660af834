import type { Agent } from '../agent.ts';
import { type McpHttpHandler, mcpHttpHandler } from './mcp/http.ts';
import type { Mount } from './mount.ts';

/** The default agent of each tenant as an MCP server on streamable HTTP at `/mcp`. Needs `@modelcontextprotocol/sdk`. */
export function mcpMount(options: { maxBodyBytes: number; onError(error: unknown): void }): Mount {
  const handlers = new Map<Agent, McpHttpHandler>();
  const handlerOf = (agent: Agent): McpHttpHandler => {
    const handler = handlers.get(agent) ?? mcpHttpHandler({ agent, ...options });
    handlers.set(agent, handler);
    return handler;
  };
  return {
    methods: ['GET', 'POST', 'DELETE'],
    path: '/mcp',
    summary: 'The agent as an MCP server (streamable HTTP)',
    scope: 'run',
    async handle(request, { agents, principal, runs }) {
      const [first] = agents;
      if (!first) return new Response(null, { status: 404 });
      return handlerOf(first.agent)(asLocal(request), { owner: `${principal.tenant} ${principal.id}`, runs });
    },
    close: async () => {
      await Promise.all([...handlers.values()].map((handler) => handler.close()));
    },
  };
}

/** Host and Origin were judged by the server, which knows tokens and configured origins; the handler judges for itself without them. */
function asLocal(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('host', 'localhost');
  headers.delete('origin');
  return new Request(request, { headers });
}
