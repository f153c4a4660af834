/**
 * One attempt of Restate to execute a run: a `LiveRun` whose journal is the engine's.
 *
 * 1. What is asked of the engine follows from what it has recorded, never from the agent's code or the clock: batches say which
 *    signals, children and times are waited for. So the engine's own replay fits whatever the agent's code does, and it is
 *    `LiveRun` that finds a journal which does not fit the code.
 * 2. Recorded batches come back without their closure. The first closure that is called therefore begins the live part, with all
 *    that was recorded.
 * 3. While the run holds a coroutine one `ctx.run` is open, whose closure returns when there is something to record. It returns
 *    empty-handed every so often, so that the engine does not take a long step for silence and suspend the run beneath it.
 * 4. A run rests only if it was not woken since its last coroutine decided to.
 * 5. A cancellation reaches the children when its entry is recorded.
 */
import type * as restate from '@restatedev/restate-sdk';
import type { RestatePromise, Serde, WorkflowContext } from '@restatedev/restate-sdk';
import type { Workflow } from '../durable.ts';
import { type AttemptServices, LivePart } from './live-part.ts';
import { type Batch, endOfFailure, type Idle, type RunEnd, type RunStart } from './run-log.ts';

const cancelKey = '~cancel';

/** Makes a resting run look whether it can go on. */
export const wakeSignal = 'wake';

type Event =
  | { type: 'batch'; batch: Batch }
  | { type: 'signal'; name: string; value: unknown }
  | { type: 'child'; key: string; end: RunEnd }
  | { type: 'awake' }
  | { type: 'cancelled' };

/** JSON, but that a text is taken for the JSON of what it says: a closure gives its batch so. The engine vouches for the type. */
function jsonSerde<T>(): Serde<T> {
  return {
    contentType: 'application/json',
    serialize: (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    deserialize: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as T,
  };
}

/** Executes a run from its recorded beginning to its end. Its promise stays open when the attempt ends before the run. */
export async function attemptRun(
  context: WorkflowContext,
  workflow: Workflow,
  start: RunStart,
  services: AttemptServices,
): Promise<RunEnd> {
  return new RunAttempt(context, new LivePart(context.key, workflow, start, services), services).execute(start);
}

class RunAttempt {
  readonly #context: WorkflowContext & restate.internal.ContextInternal;
  readonly #live: LivePart;
  readonly #services: AttemptServices;
  readonly #signals = new Map<string, RestatePromise<Event>>();
  readonly #children = new Map<string, RestatePromise<Event>>();
  #batch: RestatePromise<Event> | undefined;
  /** What wakes a resting run beside signals and children: the time, and somebody who resumes it. */
  #alarms: RestatePromise<Event>[] = [];
  #resting = false;
  /** The last batch said that the run was parked. */
  #parked = false;

  constructor(context: WorkflowContext, live: LivePart, services: AttemptServices) {
    // Every context is one of these; the SDK offers its cancellation as a part that may still change.
    this.#context = context as WorkflowContext & restate.internal.ContextInternal;
    this.#live = live;
    this.#services = services;
  }

  async execute({ prefix, ...start }: RunStart): Promise<RunEnd> {
    this.#context.request().attemptCompletedSignal.addEventListener('abort', () => this.#live.close(), { once: true });
    // The state is for those who look at the run from outside.
    this.#context.set('start', start);
    await this.#live.takeOver(prefix);
    for (;;) {
      const event = await this.#nextEvent();
      if (event.type !== 'batch') await this.#wake(event);
      else {
        await this.#recorded(event.batch);
        if (event.batch.ended) return event.batch.ended;
      }
    }
  }

  #nextEvent(): RestatePromise<Event> {
    const awaited = [...this.#signals.values(), ...this.#children.values()];
    if (!this.#resting) {
      this.#batch ??= this.#context
        .run(`entries from ${this.#live.store.length + 1}`, () => this.#live.fetch(), {
          serde: jsonSerde<Batch | string>(),
        })
        // What `deserialize` made of it.
        .map((batch) => ({ type: 'batch', batch: batch as Batch }));
      awaited.push(this.#batch);
    } else awaited.push(...this.#alarms);
    awaited.push(this.#context.cancellation().map(() => ({ type: 'cancelled' })));
    return this.#services.sdk.RestatePromise.race(awaited);
  }

  async #recorded(batch: Batch): Promise<void> {
    this.#batch = undefined;
    await this.#live.recorded(batch);
    for (const name of batch.signals ?? []) this.#listen(name);
    for (const { key, workflow, start } of batch.children ?? []) this.#call(key, workflow, start);
    if (batch.entries.some(({ key }) => key === cancelKey)) await this.#context.cancelPreviousCalls();
    if (batch.parked !== undefined) this.#context.set('parked', batch.parked);
    else if (this.#parked) this.#context.clear('parked');
    this.#parked = batch.parked !== undefined;
    if (batch.idle?.wakes === this.#live.wakes) this.#rest(batch.idle);
    if (batch.ended) this.#context.set('end', batch.ended);
  }

  #rest(idle: Idle): void {
    this.#resting = true;
    this.#context.set('idle', idle);
    const alarms: RestatePromise<unknown>[] = [this.#context.signal(wakeSignal)];
    if (idle.wakeAt !== undefined) alarms.push(this.#context.sleep(Math.max(0, idle.wakeAt - Date.now()), 'rest'));
    this.#alarms = alarms.map((alarm) => alarm.map(() => ({ type: 'awake' })));
  }

  #listen(name: string): void {
    const arrival = this.#context.promise<unknown>(name).get();
    this.#signals.set(
      name,
      arrival.map((value) => ({ type: 'signal', name, value })),
    );
  }

  #call(key: string, workflow: string, start: RunStart): void {
    const serdes = { inputSerde: jsonSerde<RunStart>(), outputSerde: jsonSerde<RunEnd>() };
    const target = { service: this.#services.names.of(workflow), method: 'run', key: `${this.#context.key}/${key}` };
    const call = this.#context.genericCall({ ...target, parameter: start, ...serdes });
    this.#children.set(
      key,
      // A worker of ours answers with how the run ended; the engine may refuse it or end it itself.
      call.map((end, failure) => ({ type: 'child', key, end: end ?? endOfFailure(failure?.message) })),
    );
  }

  async #wake(event: Exclude<Event, { type: 'batch' }>): Promise<void> {
    this.#live.wakes++;
    if (this.#resting) this.#context.clear('idle');
    this.#resting = false;
    this.#alarms = [];
    switch (event.type) {
      case 'signal':
        this.#signals.delete(event.name);
        this.#live.signalled(event.name, event.value);
        return;
      case 'child':
        this.#children.delete(event.key);
        await this.#live.childEnded(event.key, event.end);
        return;
      case 'cancelled':
        this.#live.cancel();
        return;
      case 'awake':
        return;
      default:
        event satisfies never;
    }
  }
}
