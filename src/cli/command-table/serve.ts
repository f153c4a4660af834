import type { CommandSpec } from '../command-spec.ts';
import { agentOptions, allowOption, engineAddress, limitOptions, stepsOption } from './shared-options.ts';

export const serveCommands: readonly CommandSpec[] = [
  {
    name: 'serve',
    group: 'Serve',
    description: 'the agent over HTTP and in the browser: runs, events, approvals, chat completions, MCP',
    options: [
      engineAddress,
      { flags: '--host <address>', description: 'where to listen (127.0.0.1); any other needs --tokens' },
      { flags: '--port <n>', description: 'the port (8787)', kind: 'integer' },
      { flags: '--tokens <file>', description: 'who may use it, made with `assay tokens create`' },
      {
        flags: '--also <model>',
        description: 'the agent with another model too, to fork runs to; repeatable',
        kind: 'list',
      },
      { flags: '--open', description: 'open the page in the browser' },
      { flags: '--demo', description: 'serve the bundled sample, to be tried out in the page; needs no key' },
      { flags: '--pace <ms>', description: 'how long a scripted reply of the demo takes (300)', kind: 'number' },
      ...agentOptions,
      ...limitOptions,
    ],
    load: async () => (await import('../commands/serve.ts')).command,
  },
  {
    name: 'tokens',
    group: 'Serve',
    description: 'who may use the server; only hashes are kept',
    args: [
      { name: '[action]', description: 'list (default), create or revoke', choices: ['list', 'create', 'revoke'] },
      { name: '[id]', description: 'for revoke: the id of a token' },
    ],
    options: [
      { flags: '--tokens <file>', description: 'the file (assay.tokens.json)' },
      { flags: '--tenant <name>', description: 'whose runs, lessons and files it sees (default)' },
      { flags: '--scope <list>', description: 'of run, approve, read, metrics (run,approve,read)' },
      { flags: '--days <n>', description: 'how long it is valid', kind: 'number' },
      { flags: '--per-minute <n>', description: 'requests a minute at most', kind: 'integer' },
      { flags: '--runs-per-day <n>', description: 'runs a day at most', kind: 'integer' },
      { flags: '--usd-per-day <n>', description: 'US dollars a day at most', kind: 'number' },
    ],
    load: async () => (await import('../commands/tokens.ts')).command,
  },
  {
    name: 'worker',
    group: 'Serve',
    description: 'execute the runs that a distributed engine hands out',
    options: [
      engineAddress,
      { flags: '--listen <address>', description: 'where the engine reaches it (127.0.0.1:9080)' },
      { flags: '--reachable-at <url>', description: 'its address as the engine sees it, behind a balancer' },
      ...agentOptions,
      stepsOption,
      { ...allowOption, description: 'allow calls up to this effect without asking, in runs that allow it too' },
    ],
    load: async () => (await import('../commands/worker.ts')).command,
  },
  {
    name: 'mcp',
    group: 'Serve',
    description: 'the agent as an MCP server on standard input and output',
    options: [engineAddress, ...agentOptions, ...limitOptions],
    load: async () => (await import('../commands/mcp.ts')).command,
  },
];
