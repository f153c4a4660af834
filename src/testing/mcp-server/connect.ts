import { fileURLToPath } from 'node:url';
import type { Json } from '../../core/json.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Behaviour } from './misbehaving-server.ts';

/** The command that starts a server of this behaviour, for the options of `mcp`. */
export function misbehaving(behaviour: Behaviour): { command: string; args: string[] } {
  const file = fileURLToPath(new URL('./misbehaving-server.ts', import.meta.url));
  return { command: process.execPath, args: ['--no-warnings', file, JSON.stringify(behaviour)] };
}

/** The command that starts a reference server of the MCP project, from the installed package. */
export function reference(
  name: 'everything' | 'filesystem' | 'memory',
  ...args: string[]
): { command: string; args: string[] } {
  const file = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  return { command: process.execPath, args: [file, ...args] };
}

/** An entry of a server's list of tools. */
export function entry(name: string, more: { [key: string]: Json } = {}): Json {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} }, ...more };
}

/** Calls a tool as the executor does: arguments parsed by the schema first. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: unknown = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name} among ${tools.map((one) => one.name).join(', ')}`);
  return await tool.run(tool.input.parse(args), { idempotencyKey: 'k', attempt: 1, signal });
}
