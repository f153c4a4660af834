import { readFileSync } from 'node:fs';
import type { Contender } from './contender.ts';

/** What is known of a contender before its library is loaded: each is loaded in a process of its own only. */
export interface Entrant {
  /** As on the command line. */
  id: string;
  name: string;
  /** Whether a run survives the process, and what was asked of the disk. */
  durable: 'no' | 'SQLite, FULL';
  /** The folder its package is in, from the root of the repository. */
  package: string;
  load(): Promise<Contender>;
}

/** Names the process that loads no library and makes no run. */
export const idle = 'idle';

const peers = 'bench/peers/node_modules';
// By a variable, so that the project's type check does not need the peers.
const langGraphFile = '../peers/lang-graph.ts';

async function langGraph(): Promise<{ memorySaver: Contender; sqliteSaver: Contender }> {
  return import(langGraphFile);
}

export const entrants: readonly Entrant[] = [
  {
    id: 'assay',
    name: 'Assay, in memory',
    durable: 'no',
    package: '.',
    load: async () => (await import('./assay.ts')).inMemory,
  },
  {
    id: 'assay-sqlite',
    name: 'Assay, SQLite journal',
    durable: 'SQLite, FULL',
    package: '.',
    load: async () => (await import('./assay.ts')).sqlite,
  },
  {
    id: 'ai',
    name: 'AI SDK ToolLoopAgent',
    durable: 'no',
    package: 'node_modules/ai',
    load: async () => (await import('./ai-sdk.ts')).toolLoopAgent,
  },
  {
    id: 'langgraph',
    name: 'LangGraph.js, MemorySaver',
    durable: 'no',
    package: `${peers}/@langchain/langgraph`,
    load: async () => (await langGraph()).memorySaver,
  },
  {
    id: 'langgraph-sqlite',
    name: 'LangGraph.js, SqliteSaver on node:sqlite',
    durable: 'SQLite, FULL',
    package: `${peers}/@langchain/langgraph`,
    load: async () => (await langGraph()).sqliteSaver,
  },
];

/** The version of the installed package; undefined when it is not installed. */
export function versionOf(entrant: Entrant): string | undefined {
  try {
    const file = new URL(`../../${entrant.package}/package.json`, import.meta.url);
    // npm wrote it.
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}
