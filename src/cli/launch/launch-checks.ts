/** The six questions before an agent goes live, asked of its configuration: each passes, or names the line to change. */
import type { AgentOptions } from '../../agent.ts';
import { defaultLimits, type Limits } from '../../core/budget.ts';
import type { Lesson } from '../../core/lesson.ts';
import { react } from '../../solver/react/react.ts';
import type { Layer, NamedSolver } from '../../solver/solver.ts';
import { defaultPolicy } from '../../tools/policy/policy.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Evaluated } from './last-evaluation.ts';

export interface LaunchCheck {
  /** The question. */
  what: string;
  ok: boolean;
  detail: string;
  /** What to write; absent when it passes. */
  remedy?: string;
  /** The option of the agent that is to be changed. */
  option?: keyof AgentOptions;
}

/** What the questions are asked of. */
export interface LaunchFacts {
  agent: AgentOptions;
  /** Lessons that are in use. */
  lessons: readonly Lesson[];
  /** The newest evaluation of this configuration, if there is any. */
  evaluated: Evaluated | undefined;
  now: number;
}

/** In the order in which they are to be answered. */
export function launchChecks(facts: LaunchFacts): LaunchCheck[] {
  const { agent } = facts;
  return [bounded(agent), confirmed(agent), untrusted(agent), judged(agent), forgotten(facts), measured(facts)];
}

const limitNames = ['modelCalls', 'toolCalls', 'tokens', 'ms'] as const satisfies (keyof Limits)[];

function bounded({ budget, solver = react(), layers = [] }: AgentOptions): LaunchCheck {
  const what = 'every loop is bounded';
  const limits: Limits = { ...defaultLimits, ...budget };
  const open = limitNames.filter((name) => !Number.isFinite(limits[name] ?? Number.POSITIVE_INFINITY));
  if (open.length > 0) {
    const remedy = `budget: { ${open.map((name) => `${name}: ${defaultLimits[name]}`).join(', ')} }`;
    return { what, ok: false, detail: `a run has no limit in ${open.join(', ')}`, remedy, option: 'budget' };
  }
  const endless = [solver, ...layers].find(hasEndlessNumber);
  if (endless) {
    const remedy = `give ${endless.name} finite numbers`;
    return {
      what,
      ok: false,
      detail: `${endless.name} has a limit that is none`,
      remedy,
      option: optionOf(endless, solver),
    };
  }
  return { what, ok: true, detail: limitNames.map((name) => `${name} ${limits[name]}`).join(', ') };
}

function hasEndlessNumber({ config }: NamedSolver | Layer): boolean {
  const values = typeof config === 'object' && config !== null ? Object.values(config) : [];
  return values.some((value) => value === Number.POSITIVE_INFINITY);
}

function optionOf(one: NamedSolver | Layer, solver: NamedSolver): keyof AgentOptions {
  return one === solver ? 'solver' : 'layers';
}

function confirmed({ tools = [], policy = {} }: AgentOptions): LaunchCheck {
  const what = 'tools are tiered, and effects confirmed';
  const effects = tools.flat().filter(({ effect }) => effect !== 'read');
  const tiers = { ...defaultPolicy, ...policy };
  const loose = effects.find(({ effect }) => tiers[effect] === 'allow');
  if (loose) {
    const remedy = `policy: { ${loose.effect}: 'ask' }, and a rule for each call that may go ahead`;
    return {
      what,
      ok: false,
      detail: `${loose.name} (${loose.effect}) runs without a question`,
      remedy,
      option: 'policy',
    };
  }
  const open = policy.rules?.find(({ action, tool, args, host, path, effect }) => {
    const narrows = tool !== undefined || args !== undefined || host !== undefined || path !== undefined;
    return action === 'allow' && !narrows && effect !== 'read';
  });
  if (open) {
    const remedy = 'name a tool, an argument, a host or a path in the rule that allows';
    return { what, ok: false, detail: 'a rule allows every effect', remedy, option: 'policy' };
  }
  const count = effects.length;
  return { what, ok: true, detail: count === 0 ? 'no tool has an effect' : `${count} with effects, each is asked for` };
}

/** What these return was computed here, from the arguments alone. */
const ownWords: ReadonlySet<string> = new Set(['calculator']);

function untrusted({ tools = [], policy = {} }: AgentOptions): LaunchCheck {
  const what = 'tool output is untrusted';
  const trusted = tools.flat().filter((tool) => isTrusted(tool) && !ownWords.has(tool.name));
  if (trusted.length > 0) {
    const names = trusted.map(({ name }) => name).join(', ');
    const remedy = `take \`trust: 'trusted'\` from ${names}, unless nobody else can write what comes back`;
    return {
      what,
      ok: false,
      detail: `${names}: what comes back counts as the user's own word`,
      remedy,
      option: 'tools',
    };
  }
  const lets = policy.rules?.find((rule) => rule.untrusted === 'allow');
  if (lets) {
    const remedy = "take `untrusted: 'allow'` from the rule";
    return { what, ok: false, detail: 'a rule lets text of strangers into an effect', remedy, option: 'policy' };
  }
  return { what, ok: true, detail: 'fenced in prompts, traced into effects' };
}

function isTrusted(tool: Tool): boolean {
  return tool.trust === 'trusted';
}

function judged({ layers = [], model }: AgentOptions): LaunchCheck {
  const what = 'verifiers are external';
  const configs = layers.map(({ name, config }) => ({ name, config: Object(config) as Record<string, unknown> }));
  const checking = configs.find(({ name }) => name === 'verification');
  const checks = Array.isArray(checking?.config['checks']) ? checking.config['checks'].length : 0;
  const reflecting = configs.find(({ name }) => name === 'reflexion');
  const another =
    typeof model === 'object' && 'actor' in model && model.verifier !== undefined && model.verifier !== model.actor;
  if (reflecting?.config['knows'] === 'self') {
    const remedy = 'give reflexion an evaluator that knows more than the actor, such as testsPass or checksPass';
    return { what, ok: false, detail: 'reflexion lets the actor judge itself', remedy, option: 'layers' };
  }
  if (checks > 0 || another || reflecting) {
    const by = [
      ...(checks > 0 ? [`${checks} checks by code`] : []),
      ...(another ? ['another model'] : []),
      ...(reflecting ? [`the evaluator ${String(reflecting.config['evaluator'])}`] : []),
    ];
    return { what, ok: true, detail: by.join(', ') };
  }
  const detail = checking ? 'the model that answers is its own only judge' : 'nothing judges an answer';
  return { what, ok: false, detail, remedy: 'layers: [verification()], whose checks are code', option: 'layers' };
}

const longestDays = 365;
const dayMs = 86_400_000;

function forgotten({ agent: { layers = [] }, lessons, now }: LaunchFacts): LaunchCheck {
  const what = 'lessons can be deleted, and expire';
  if (!layers.some(({ name }) => name === 'lessons')) return { what, ok: true, detail: 'no lessons are kept' };
  const lasting = lessons.filter(({ expires }) => !(expires < now + longestDays * dayMs));
  if (lasting.length > 0) {
    const ids = lasting.slice(0, 3).map(({ id }) => id.slice(0, 8));
    const remedy = `assay lessons edit ${ids[0]} --days 90, or forget it`;
    return { what, ok: false, detail: `${lasting.length} outlast a year: ${ids.join(', ')}`, remedy };
  }
  return { what, ok: true, detail: `${lessons.length} in use, each ends by itself; assay lessons forget deletes one` };
}

const oldestDays = 30;

function measured({ evaluated, now }: LaunchFacts): LaunchCheck {
  const what = 'whole tasks were evaluated';
  if (!evaluated) {
    return { what, ok: false, detail: 'there is no evaluation of this configuration', remedy: 'assay eval SUITE' };
  }
  const days = Math.floor((now - evaluated.ended) / dayMs);
  const said = `${evaluated.name}, ${days === 0 ? 'today' : `${days} days ago`}`;
  if (days > oldestDays) return { what, ok: false, detail: `the last one is old: ${said}`, remedy: 'assay eval SUITE' };
  if (!evaluated.hasBaseline) {
    const remedy = 'evaluate a direct answer beside it, in the same suite';
    return { what, ok: false, detail: `${said}, without a direct answer to beat`, remedy };
  }
  return { what, ok: true, detail: `${said}: ${evaluated.figures}` };
}
