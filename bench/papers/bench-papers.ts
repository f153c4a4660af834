import { printTable } from '../measure.ts';
import { figureHeading, figureRow, standingOf } from './figures.ts';
import { hasTraces, type Material, materialIn, tracesBeside } from './material.ts';
import type { Part } from './part.ts';

export interface PapersOptions {
  /** The folder of the project, beside which recorded outputs are looked for. */
  project: string;
  traces?: string | undefined;
  data?: string | undefined;
  /** Names of parts, separated by commas. Default: all. */
  only?: string | undefined;
}

/** Runs the parts and prints their figures. The exit code: 0 when all agree or nothing is there, 1 for a difference, 2 for wrong usage. */
export async function benchPapers(parts: readonly Part[], options: PapersOptions): Promise<0 | 1 | 2> {
  const { project, traces = tracesBeside(project), data, only } = options;
  const names = only?.split(',') ?? parts.map(({ name }) => name);
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) {
    console.log(`No part is called ${unknown.join(', ')}. The parts are: ${parts.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  if (traces === undefined) {
    console.log(
      'skipped: no folder with recorded outputs (traces/METRICS.json) stands beside the project. Name one with --traces.',
    );
    return 0;
  }
  if (!hasTraces(traces)) {
    console.log(`${traces} holds no METRICS.json. Name the folder that does with --traces.`);
    return 2;
  }
  console.log(`Recorded outputs: ${traces}. No model takes part: what models said and read is replayed.`);
  const material = materialIn(traces, data);
  const began = performance.now();
  let agree = true;
  for (const part of parts.filter(({ name }) => names.includes(name))) {
    if (!(await printPart(part, material))) agree = false;
  }
  const verdict = agree ? 'All figures agree.' : 'A figure differs from the recorded one.';
  console.log(`\n${verdict} ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  return agree ? 0 : 1;
}

/** Whether no figure of the part differs. */
async function printPart({ name, title, run }: Part, material: Material): Promise<boolean> {
  const from = performance.now();
  const { figures, notes, work } = await run(material);
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  printTable(
    `${title} (${name}): ${work.runs} runs, ${work.modelCalls} model calls, ${work.toolCalls} tool calls, ${work.events} events, ${seconds} s`,
    [figureHeading, ...figures.map(figureRow)],
  );
  for (const figure of figures) {
    if (standingOf(figure) === 'explained') console.log(`${figure.name}: ${figure.explained}`);
  }
  for (const note of notes) console.log(note);
  return figures.every((figure) => standingOf(figure) !== 'DIFFERS');
}
