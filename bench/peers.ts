import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Other loops for the same task: `run(turns, delayMs)` gives the number of tool calls made. */
export type Peers = { name: string; run(turns: number, delayMs?: number): Promise<number> }[];

/** Installs the peers beside their file when they are missing, and loads them. An install that fails leaves them out, said so. */
export async function loadPeers(): Promise<Peers> {
  const folder = fileURLToPath(new URL('peers', import.meta.url));
  if (!existsSync(`${folder}/node_modules`)) {
    console.error('bench: installing the peers into bench/peers (about 10 seconds) ...');
    const npm = process.env['npm_execpath'];
    const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
    const done = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (done.status !== 0) {
      console.error('bench: the peers could not be installed; they are left out.');
      return [];
    }
  }
  // By a variable, so that the project's type check does not need the peers.
  const file = './peers/peers.ts';
  const loaded: { runPi: Peers[number]['run']; runAiSdk: Peers[number]['run'] } = await import(file);
  return [
    { name: 'pi-agent-core 1.6.0', run: loaded.runPi },
    { name: 'AI SDK 7 ToolLoopAgent', run: loaded.runAiSdk },
  ];
}
