import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPeers } from './concurrent/install-peers.ts';

/** Other loops for the same task: `run(turns, delayMs)` gives the number of tool calls made. */
export type Peers = { name: string; run(turns: number, delayMs?: number): Promise<number> }[];

/** Installs the peers beside their file when they are missing, and loads them. An install that fails leaves them out, said so. */
export async function loadPeers(): Promise<Peers> {
  installPeers();
  if (!existsSync(fileURLToPath(new URL('peers/node_modules', import.meta.url)))) return [];
  // By a variable, so that the project's type check does not need the peers.
  const file = './peers/peers.ts';
  const loaded: { runPi: Peers[number]['run']; runAiSdk: Peers[number]['run'] } = await import(file);
  return [
    { name: 'pi-agent-core 1.6.0', run: loaded.runPi },
    { name: 'AI SDK 7 ToolLoopAgent', run: loaded.runAiSdk },
  ];
}
