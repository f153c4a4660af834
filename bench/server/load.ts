/** Requests at a fixed rate, whatever the answers take: a server that falls behind shows it in its times. */

export interface Load {
  /** Milliseconds of the requests that were answered well. */
  times: number[];
  /** What went wrong, by its kind. */
  errors: Map<string, number>;
  /** The server at the beginning, in the middle and at the end. */
  start: ServerState;
  middle: ServerState;
  end: ServerState;
}

/** Memory in bytes: what is live after a collection, and what the system gave. */
export interface ServerState {
  heapUsed: number;
  rss: number;
  cpuMs: number;
}

const body = JSON.stringify({ task: 'How many moons has Mars?' });

export async function loadServer(url: string, options: { perSecond: number; seconds: number }): Promise<Load> {
  const start = await stateOf(url);
  const load: Load = { times: [], errors: new Map(), start, middle: start, end: start };
  const total = options.perSecond * options.seconds;
  const open: Promise<void>[] = [];
  const began = performance.now();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * options.perSecond));
    for (; sent < due; sent++) open.push(request(url, load));
    if (load.middle === start && sent >= total / 2) load.middle = await stateOf(url);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(open);
  return { ...load, end: await stateOf(url) };
}

async function request(url: string, load: Load): Promise<void> {
  const began = performance.now();
  const problem = await attempt(url).catch((error: unknown) => String(error));
  if (problem === undefined) load.times.push(performance.now() - began);
  else load.errors.set(problem, (load.errors.get(problem) ?? 0) + 1);
}

/** What is wrong with the answer; undefined for a good one. */
async function attempt(url: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/runs?wait=true`, { method: 'POST', headers, body });
  const answer: unknown = await response.json();
  if (response.status !== 200) return `status ${response.status}`;
  return Reflect.get(Object(answer), 'answer') === 'two'
    ? undefined
    : `no answer: ${JSON.stringify(answer).slice(0, 200)}`;
}

async function stateOf(url: string): Promise<ServerState> {
  // Answered by our own worker.
  return (await (await fetch(`${url}/bench/memory`)).json()) as ServerState;
}
