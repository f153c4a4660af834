/**
 * The agent of one run, and where the run begins.
 *
 * 1. A run that a kill left unfinished goes on from its journal. One whose environment has a state is started anew, since what its calls
 *    had changed is gone, and so is one whose journal does not fit the code any more; their replies come from the cache.
 * 2. The agent sees the input, the constraints, the schema and the names of checks, never what is expected.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent, type AgentOptions, type TaskInput } from '../../agent.ts';
import { modelsBehind } from '../../model/fallback.ts';
import type { Role } from '../../model/model.ts';
import type { ModelRoles, RoleSettings } from '../../model/roles.ts';
import type { RunHandle } from '../../run-handle.ts';
import type { Configuration, Environment, EvalTask } from '../suite.ts';
import { isOpenBook } from './describe.ts';
import { type Meter, meteredModel, newMeter } from './metered-model.ts';
import type { Scene } from './scene.ts';

export interface Job {
  configuration: Configuration;
  task: EvalTask;
  /** Counted from 1. */
  repeat: number;
  /** Leaves an earlier run of the same job alone: it broke. */
  anew?: boolean;
}

/** The id of a job's run: unique in its evaluation, and the same when the evaluation goes on. */
export function runIdOf({ configuration, task, repeat }: Job): string {
  return `${configuration.name}/${task.id}/${repeat}`.replace(/\s+/g, '-');
}

/** What a run is made in. */
export interface Setting extends Job {
  scene: Scene;
  options: AgentOptions;
  environment: Environment;
}

export interface Begun {
  runId: string;
  handle: RunHandle;
  meter: Meter;
}

/** Samples of a run that goes on after a kill have other numbers than those its journal has. */
const samplesBefore = 1_000;

/** Starts the run, or goes on with it. */
export async function beginRun(setting: Setting): Promise<Begun> {
  const { scene, options, environment, repeat } = setting;
  const first = runIdOf(setting);
  const earlier = await scene.host.info(first);
  const goesOn =
    earlier !== undefined && !setting.anew && environment.state === undefined && earlier.state !== 'parked';
  const runId = earlier && !goesOn ? await freeId(first, scene) : first;
  const meter = newMeter({
    limiter: scene.limiter,
    cache: scene.cache,
    repeat,
    firstSample: goesOn ? samplesBefore : 0,
    priceOf: scene.priceWith(options),
  });
  const tools = [...(options.tools ?? []), ...(environment.tools ?? [])];
  const agent = new Agent({
    ...options,
    name: runId,
    model: metered(await scene.models(options), meter),
    models: undefined,
    tools,
    host: scene.host,
    sinks: [...(options.sinks ?? []), scene.events.sink()],
    onWarning: (message) => scene.warn(`${setting.configuration.name}: ${message}`),
  });
  const handle = goesOn ? agent.resume(runId) : agent.run(given(setting), { runId });
  return { runId, handle, meter };
}

async function freeId(runId: string, scene: Scene): Promise<string> {
  for (let start = 2; ; start++) {
    const id = `${runId}~${start}`;
    if (!(await scene.host.info(id))) return id;
  }
}

function given({ configuration, task, scene, options, environment }: Setting): TaskInput {
  const { constraints = [], checks = [], outputSchema } = task;
  const hasTools = (environment.tools ?? []).length > 0;
  return {
    input: isOpenBook(configuration, options, hasTools) ? withContext(task, scene) : task.input,
    constraints: [...constraints],
    checks: [...checks],
    ...(outputSchema && { outputSchema }),
  };
}

function withContext(task: EvalTask, { suite }: Scene): string {
  const { input, context } = task;
  if (context === undefined) return input;
  const plain = typeof context === 'string' ? context : JSON.stringify(context, null, 2);
  return `${input}\n\nContext:\n${suite.contextText?.(context, task) ?? plain}`;
}

/** Every role's models behind the meter; roles that share a model still do, which tells who judges himself. */
function metered(models: ModelRoles, meter: Meter): RoleSettings {
  const wrapped = new Map<LanguageModelV4, LanguageModelV4>();
  const behindMeter = (model: LanguageModelV4): LanguageModelV4 => {
    const known = wrapped.get(model) ?? meteredModel(model, meter);
    wrapped.set(model, known);
    return known;
  };
  const of = (role: Role): LanguageModelV4[] => modelsBehind(models.of(role)).map(behindMeter);
  const embedder = models.embedder();
  return {
    actor: of('actor'),
    planner: of('planner'),
    verifier: of('verifier'),
    refiner: of('refiner'),
    reflector: of('reflector'),
    judge: of('judge'),
    ...(embedder && { embedder }),
  };
}
