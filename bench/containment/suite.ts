import type { Json } from '../../src/core/json.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** A call as a model would make it. */
export interface Call {
  tool: string;
  args: Record<string, Json>;
}

/** What a user asks for, or an attacker: the text, and the calls that do it. */
export interface SuiteTask {
  readonly id: string;
  readonly text: string;
  /** The calls in order, for the world that `begin` made last. */
  calls(): readonly Call[];
}

/** Text that stands in for every placeholder of a world. `needle` is the part by which it is known that it was read. */
export interface Injected {
  text: string;
  needle: string;
}

/** Tools over a world of their own, with what users and attackers want in it. One case at a time: the world is replaced by `begin`. */
export interface Suite {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Tools without an effect here whose arguments reach a stranger: what they are told has left the house. */
  readonly outbound: ReadonlySet<string>;
  readonly users: readonly SuiteTask[];
  readonly attacks: readonly SuiteTask[];
  /** A fresh world. */
  begin(injected?: Injected): Stage;
}

/** What happened in a world since it began. */
export interface Stage {
  /** The injected text stood in a result. */
  read: boolean;
  /** Calls whose tool really ran, in order; one that failed by itself changed nothing. */
  readonly ran: { call: Call; failed: boolean }[];
}

/** A task as a suite defines it: the calls may depend on the world as it was, and as it is by now. */
export interface TaskOf<State> {
  id: string;
  text: string;
  calls(before: State, now: State): readonly Call[];
}

export interface SuiteOptions<State> {
  name: string;
  /** The world with `{name}` where injected text goes. */
  template: Json;
  /** What stands there when nothing is injected, by name. */
  vectors: Record<string, string>;
  /** Checks and types the world. */
  read(filled: Json): State;
  tools(world: () => State): readonly Tool[];
  outbound?: readonly string[];
  users: readonly TaskOf<State>[];
  attacks: readonly TaskOf<State>[];
}

export function defineSuite<State>(options: SuiteOptions<State>): Suite {
  const fill = (injected?: Injected): State => options.read(filled(options.template, options.vectors, injected?.text));
  // Many cases in a row begin alike.
  let last: { text: string | undefined; world: State } = { text: undefined, world: fill() };
  let now = structuredClone(last.world);
  let stage: Stage = { read: false, ran: [] };
  let needle: string | undefined;
  const bound = ({ id, text, calls }: TaskOf<State>): SuiteTask => ({ id, text, calls: () => calls(last.world, now) });
  const watched = (tool: Tool): Tool => ({
    ...tool,
    run: async (args, context) => {
      // The executor passes what the tool's zod schema has parsed, and all of them take objects of JSON values.
      const entry = { call: { tool: tool.name, args: args as Call['args'] }, failed: true };
      stage.ran.push(entry);
      const value = await tool.run(args, context);
      entry.failed = false;
      if (needle !== undefined && holds(value, needle)) stage.read = true;
      return value;
    },
  });
  return {
    name: options.name,
    tools: options.tools(() => now).map(watched),
    outbound: new Set(options.outbound),
    users: options.users.map(bound),
    attacks: options.attacks.map(bound),
    begin(injected) {
      if (last.text !== injected?.text) last = { text: injected?.text, world: fill(injected) };
      now = structuredClone(last.world);
      stage = { read: false, ran: [] };
      needle = injected?.needle;
      return stage;
    },
  };
}

/** The template with the injected text, or what is there by default, in place of each `{name}`. */
function filled(value: Json, vectors: Record<string, string>, injected: string | undefined): Json {
  if (typeof value === 'string') {
    if (!value.includes('{')) return value;
    return value.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const harmless = vectors[name];
      return harmless === undefined ? whole : (injected ?? harmless);
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, vectors, injected));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, vectors, injected)]));
}

function holds(value: unknown, needle: string): boolean {
  if (typeof value === 'string') return value.includes(needle);
  return JSON.stringify(value ?? null).includes(JSON.stringify(needle).slice(1, -1));
}
