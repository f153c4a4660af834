import type { FailureLayer } from '../../src/evals/findings.ts';
import type { FailedRun } from '../../src/evals/triage/failed-run.ts';
import type { KnownCause, Sign } from './case.ts';
import { actCauses } from './causes/act.ts';
import { decomposeCauses } from './causes/decompose.ts';
import { environmentCauses } from './causes/environment.ts';
import { memoryCauses } from './causes/memory.ts';
import { mixedCauses } from './causes/mixed.ts';
import { modelCauses } from './causes/model.ts';
import { searchCauses } from './causes/search.ts';
import { verifyCauses } from './causes/verify.ts';
import { Trace } from './trace.ts';
import { type World, worldOf } from './world.ts';

/** A failed run with the layer its cause belongs to. */
export interface LabelledRun {
  cause: string;
  layer: FailureLayer;
  run: FailedRun;
}

export const causes: Readonly<Record<FailureLayer, Record<string, KnownCause>>> = {
  decompose: { ...decomposeCauses, ...mixedCauses.decompose },
  search: { ...searchCauses, ...mixedCauses.search },
  act: { ...actCauses, ...mixedCauses.act },
  verify: { ...verifyCauses, ...mixedCauses.verify },
  memory: { ...memoryCauses, ...mixedCauses.memory },
  model: { ...modelCauses, ...mixedCauses.model },
  environment: { ...environmentCauses, ...mixedCauses.environment },
};

/** So many runs of every cause, each with up to two harmless signs of other layers in it. */
export function labelledRuns(seed: string, each: number): LabelledRun[] {
  return Object.entries(causes).flatMap(([layer, known]) =>
    Object.entries(known).flatMap(([cause, how]) =>
      Array.from(
        { length: each },
        (_, index): LabelledRun => ({
          cause,
          // The keys of `causes` are the layers.
          layer: layer as FailureLayer,
          run: runOf(`${seed}-${cause}-${index}`, how),
        }),
      ),
    ),
  );
}

function runOf(seed: string, { make, without = [] }: KnownCause): FailedRun {
  const world = worldOf(seed);
  const trace = new Trace(`run-${seed}`, world.input);
  const signs = (['plan', 'tool-trouble', 'lesson', 'faults'] as const).filter((sign) => !without.includes(sign));
  for (const sign of world.draws.some(signs, world.draws.whole(0, 2))) harmless[sign](world, trace);
  const { run, task } = make(world, trace);
  const { id, input, constraints, expected } = world;
  return { ...run, task: { id, input, constraints, expected, ...task } };
}

const harmless: Record<Sign, (world: World, trace: Trace) => void> = {
  plan: (world, trace) => {
    trace.plan(world.plan()).done('s1', 's2', 's3');
  },
  'tool-trouble': (world, trace) => {
    const query = { query: world.zh ? '登记说明' : 'how the register is kept' };
    const text = world.draws.pick(['No result within 10000 ms.', 'HTTP 503: service unavailable']);
    trace.observe(world.tool, query, text, text.startsWith('No') ? 'timeout' : 'error');
    trace.observe(world.tool, query, world.zh ? '登记表按年份编制。' : 'The register is kept by year.');
  },
  lesson: (world, trace) => {
    const lesson = world.zh ? '引用原文时注明出处。' : 'Quote the words of the source and name it.';
    trace.emit({
      type: 'lesson.recalled',
      lessons: [{ id: 'l0', trigger: world.zh ? '查资料' : 'looking things up', lesson }],
    });
  },
  faults: (world, trace) => {
    if (world.draws.happens(0.5))
      trace.refused('search_register', `there is no tool "search_register"; available: ${world.tool}, calculator`);
    else trace.turn().emit({ type: 'turn.invalid', why: 'Nothing was done: the reply was empty.' });
  },
};
