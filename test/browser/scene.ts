/** The demo with something to see in every view. */
import { join } from 'node:path';
import { Desk } from '../e2e/cli-process.ts';
import { call, type Data, listOf, until } from '../e2e/server-fixture.ts';
import { startDemo } from './demo-server.ts';

export interface Scene {
  url: string;
  runs: {
    /** Ended after a revision; it left a lesson. */
    order: string;
    /** The same task again, with the lesson. */
    again: string;
    /** The first one, with what a tool returned changed by a human. */
    fork: string;
    /** Waits for an approval. */
    offer: string;
  };
  /** `SUITE/ID`, as in addresses. */
  evaluation: string;
  close(): Promise<void>;
}

export interface View {
  /** Behind the `#`. */
  address: string;
  /** What is there when the view is. */
  shows: string;
}

export function viewsOf({ runs, evaluation }: Scene): ReadonlyMap<string, View> {
  const run = `/runs/${runs.order}`;
  return new Map([
    ['runs', { address: '/runs', shows: 'table.runs a' }],
    ['run', { address: run, shows: '.timeline li' }],
    ['evidence', { address: `${run}/evidence?claim=0`, shows: '.cited mark' }],
    ['calls', { address: `${run}/calls?call=2`, shows: '.message.fresh' }],
    ['steps', { address: `${run}/steps`, shows: '.steps tbody tr' }],
    ['waiting', { address: `/runs/${runs.offer}`, shows: '.approval mark' }],
    ['approvals', { address: '/approvals', shows: '.approval mark' }],
    ['lessons', { address: '/lessons', shows: '.lesson' }],
    ['evaluations', { address: '/evaluations', shows: 'main tbody tr' }],
    ['evaluation', { address: `/evaluations/${evaluation}`, shows: '.report figure svg, .report svg' }],
    ['compare', { address: `/compare?a=${runs.order}&b=${runs.again}`, shows: '.compared tbody tr' }],
  ]);
}

const suite = join(import.meta.dirname, '../../examples/suites/price-desk');

/** Everything is made through the server's own interface, in an empty home. */
export async function setScene(): Promise<Scene> {
  const desk = new Desk();
  const evaluated = desk.assay(['eval', suite, '--limit', '12']);
  const demo = await startDemo(desk, { pace: 1 });
  const { url } = demo;
  const close = async (): Promise<void> => {
    await demo.stop();
    desk.remove();
  };
  try {
    const { order, again, offer } = await startSamples(url);
    const fork = await forkAtSearch(url, order);
    if ((await evaluated).code !== 0) throw new Error(`the evaluation failed: ${(await evaluated).stderr}`);
    const [made] = listOf((await call(`${url}/v1/evaluations`)).body['evaluations']);
    return { url, runs: { order, again, fork, offer }, evaluation: `${made?.['suite']}/${made?.['id']}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The samples of the demo: the order, which is asked twice so that its lesson is used, the offer, and an order in Chinese. */
async function startSamples(url: string): Promise<Omit<Scene['runs'], 'fork'>> {
  const samples = listOf((await call(`${url}/v1/me`)).body['samples']);
  const start = async (place: number): Promise<string> => {
    const { task, agent } = samples[place] as Data;
    return String((await call(`${url}/v1/runs?wait=true`, { body: { task, agent } })).body['id']);
  };
  const order = await start(0);
  const again = await start(0);
  const offer = await start(1);
  await start(2);
  return { order, again, offer };
}

/** What a human puts in place of what the first search found. */
async function forkAtSearch(url: string, run: string): Promise<string> {
  const steps = listOf((await call(`${url}/v1/runs/${run}/steps`)).body['steps']);
  const step = steps.find(({ kind, observation }) => String(kind) === 'tool' && observation !== undefined);
  const observations = listOf((await call(`${url}/v1/runs/${run}/observations`)).body['observations']);
  const found = observations.find(({ id }) => id === step?.['observation']);
  const { body } = await call(`${url}/v1/runs/${run}/fork`, {
    body: { at: step?.['seq'], observation: { content: `${found?.['content']}\nSeen by a human.` } },
  });
  await until(async () => ((await call(`${url}/v1/runs/${body['id']}`)).body['result'] ? true : undefined));
  return String(body['id']);
}
