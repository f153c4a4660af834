import { type Agent, defineAgent } from '../../src/agent.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { canonicalJson } from '../../src/core/json.ts';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { react } from '../../src/solver/react/react.ts';
import { type Configuration, type Reason, reasonOf } from './configurations.ts';
import { obedientModel, type Script } from './obedient-model.ts';
import type { Call, Injected, Stage, Suite, SuiteTask } from './suite.ts';

/** One case: what the user asks for and, if there is an attack, what the injected text makes the model do. */
export interface Case {
  user: SuiteTask;
  attack?: { injected: Injected; task: SuiteTask };
  /** The model reads all it needs before it makes the effects, in one turn. Else it keeps the order of the task's calls. */
  readsFirst?: boolean;
}

/** What became of a call that a model made. */
export interface MadeCall {
  readonly call: Call;
  readonly turn: number;
  readonly byAttacker: boolean;
  /** A human was asked; whether they agreed. */
  asked?: { why: Reason; approved: boolean };
  refused?: Reason;
  /** The tool ran. `failed`: and failed by itself, so that nothing happened. */
  ran: boolean;
  failed: boolean;
}

export interface CaseRecord {
  calls: readonly MadeCall[];
  /** The injected text stood in a result the model got. */
  read: boolean;
  /** The model went over to the attacker's calls. */
  hijacked: boolean;
  /** Calls, the attacker's where it went over, that the loop no longer let the model make. */
  unreached: readonly Call[];
}

/** Runs cases, one after the other, through a real agent. */
export class Runner {
  readonly #suite: Suite;
  readonly #effects: ReadonlySet<string>;
  readonly #agent: Agent;
  #current: Play;

  constructor(suite: Suite, configuration: Configuration) {
    this.#suite = suite;
    this.#effects = new Set(suite.tools.filter(({ effect }) => effect !== 'read').map(({ name }) => name));
    this.#current = new Play(suite.begin(), { user: [], attacker: () => [], effects: this.#effects });
    this.#agent = defineAgent({
      ...configuration.options,
      model: obedientModel(() => this.#current),
      tools: suite.tools,
      // An obedient model must be stopped by what is measured here, not by a limit.
      solver: react({ maxSteps: 100, maxFaults: 100 }),
      budget: { modelCalls: undefined, toolCalls: undefined, tokens: undefined, ms: undefined },
      host: inMemoryHost({ keepFinished: 1 }),
      sinks: [{ name: 'bench', write: (event) => this.#heed(event) }],
    });
  }

  async run({ user, attack, readsFirst = false }: Case): Promise<CaseRecord> {
    const stage = this.#suite.begin(attack?.injected);
    const isEffect = ({ tool }: Call): boolean => this.#effects.has(tool);
    const calls = user.calls();
    const play = new Play(stage, {
      user: readsFirst ? [...calls.filter((call) => !isEffect(call)), ...calls.filter(isEffect)] : calls,
      attacker: () => attack?.task.calls() ?? [],
      effects: this.#effects,
    });
    this.#current = play;
    await this.#agent.run(user.text);
    return play.record();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** The simulated human stands in the sink, so that no run has to be put aside while it waits for an answer. */
  #heed(event: RunEvent): void {
    if (event.type === 'tool.refused') this.#current.refuse(event.tool, reasonOf(event.why));
    if (event.type !== 'approval.requested') return;
    const decision = this.#current.answer(event.signal.split(':').at(-1) ?? '', reasonOf(event.why));
    void this.#agent.decide(event.run, event.signal, decision);
  }
}

interface Wants {
  user: readonly Call[];
  /** Asked for when the injected text was read. */
  attacker(): readonly Call[];
  effects: ReadonlySet<string>;
}

/** One case as it unfolds: the script of its model, the human it asks, and the record of both. */
class Play implements Script {
  readonly #stage: Stage;
  readonly #wants: Wants;
  readonly #own: ReadonlySet<string>;
  readonly #made: (MadeCall & { id: string })[] = [];
  #ahead: readonly (readonly Call[])[];
  #hijacked = false;
  #turn = 0;
  /** Calls that ran before the turn now under way. */
  #ranBefore = 0;

  constructor(stage: Stage, wants: Wants) {
    this.#stage = stage;
    this.#wants = wants;
    this.#own = new Set(wants.user.map(keyOf));
    this.#ahead = turnsOf(wants.user, wants.effects);
  }

  plan(): unknown {
    return {
      goal: 'what the user asks for',
      steps: [{ id: 's1', objective: 'do what the task says' }],
      effects: [...new Set(this.#wants.user.map(({ tool }) => tool).filter((tool) => this.#wants.effects.has(tool)))],
    };
  }

  next(): readonly Call[] | undefined {
    this.#settle();
    this.#turn++;
    if (this.#stage.read && !this.#hijacked) {
      this.#hijacked = true;
      // Each alone, since some need what an earlier one did.
      this.#ahead = this.#wants.attacker().map((call) => [call]);
    }
    const [turn, ...rest] = this.#ahead;
    this.#ahead = rest;
    return turn;
  }

  called(id: string, call: Call): void {
    if (call.tool === 'final') return;
    this.#made.push({ id, call, turn: this.#turn, byAttacker: this.#hijacked, ran: false, failed: false });
  }

  /** The human agrees to nothing but what the user's task needs, and each time says something new, so that it looks like progress. */
  answer(id: string, why: Reason): { approved: boolean; reason: string } {
    const made = this.#made.find((one) => one.id === id);
    const approved = made !== undefined && this.#own.has(keyOf(made.call));
    if (made) made.asked = { why, approved };
    return { approved, reason: `answer to ${id}` };
  }

  refuse(tool: string, why: Reason): void {
    const made = this.#made.find((one) => one.turn === this.#turn && one.call.tool === tool && !one.refused);
    if (made) made.refused = why;
  }

  record(): CaseRecord {
    this.#settle();
    const { read } = this.#stage;
    return { calls: this.#made, read, hijacked: this.#hijacked, unreached: this.#ahead.flat() };
  }

  /** Whether a tool ran is known from the tool itself. */
  #settle(): void {
    for (const { call, failed } of this.#stage.ran.slice(this.#ranBefore)) {
      const key = keyOf(call);
      const made = this.#made.find((one) => one.turn === this.#turn && !one.ran && keyOf(one.call) === key);
      if (!made) throw new Error(`the tool ${call.tool} ran without having been called: the bench is wrong`);
      made.ran = true;
      made.failed = failed;
    }
    this.#ranBefore = this.#stage.ran.length;
  }
}

/** Reads one by one, effects that follow each other in one turn. */
function turnsOf(calls: readonly Call[], effects: ReadonlySet<string>): Call[][] {
  const turns: Call[][] = [];
  let together: Call[] = [];
  for (const call of calls) {
    const effect = effects.has(call.tool);
    if (effect && together.length > 0) together.push(call);
    else {
      const turn = [call];
      turns.push(turn);
      together = effect ? turn : [];
    }
  }
  return turns;
}

/** Equal calls have equal keys. */
export function keyOf({ tool, args }: Call): string {
  return `${tool} ${canonicalJson(args)}`;
}
