/** Which agents a tenant has. */
import type { Agent } from '../agent.ts';
import { UsageError } from '../core/errors.ts';
import type { DurableHost, RunInfo } from '../runtime/durable.ts';
import { Problem } from './problem.ts';
import { defaultTenant, type ServerOptions } from './server-options.ts';

export interface NamedAgent {
  /** As requests name it. */
  name: string;
  agent: Agent;
  /** As its host names it. */
  workflow: string;
}

/** The name of the one agent of a server that was given no names. */
const onlyAgent = 'default';

export class Agents {
  readonly #shared: readonly NamedAgent[];
  readonly #own: ReadonlyMap<string, readonly NamedAgent[]>;

  /** Throws `UsageError` for agents that cannot be told apart, and for tenants that would share a memory. */
  constructor(options: Pick<ServerOptions, 'agent' | 'agents' | 'tenants' | 'auth'>) {
    const { agent, agents = {}, tenants = {}, auth } = options;
    this.#shared = named({ ...(agent && { [onlyAgent]: agent }), ...agents });
    this.#own = new Map(
      Object.entries(tenants).flatMap(([tenant, own]) => (own.agents ? [[tenant, named(own.agents)]] : [])),
    );
    if (this.#every().length === 0)
      throw new UsageError('A server needs an agent: give `agent`, `agents` or `tenants`.');
    assertDistinct(this.#every());
    const known = auth && 'tokens' in auth ? auth.tokens.tenants() : [];
    this.#assertOwnMemory([...new Set([defaultTenant, ...known, ...Object.keys(tenants)])], auth !== undefined);
  }

  /** Every agent once. */
  all(): readonly Agent[] {
    return [...new Set(this.#every().map(({ agent }) => agent))];
  }

  of(tenant: string): readonly NamedAgent[] {
    return this.#own.get(tenant) ?? this.#shared;
  }

  /** The agent of a request: the named one, else the first. */
  choose(tenant: string, name: string | undefined): NamedAgent {
    const mine = this.of(tenant);
    const chosen = name === undefined ? mine[0] : mine.find((one) => one.name === name);
    if (chosen) return chosen;
    throw new Problem({
      status: 422,
      code: 'no-such-agent',
      title: 'No such agent',
      detail: `There is no agent '${name ?? ''}' for this token.`,
      remedy: `Name one of: ${mine.map((one) => one.name).join(', ') || '(none)'}.`,
    });
  }

  /** The named agent, which is to go on with a run of this one. Both have to live on one host, where the journal is. */
  beside(tenant: string, { agent, name: before }: NamedAgent, name: string): NamedAgent {
    const chosen = this.choose(tenant, name);
    if (chosen.agent.host === agent.host) return chosen;
    throw new Problem({
      status: 422,
      code: 'other-host',
      title: 'The agent lives on another host',
      detail: `The journal of a run of '${before}' is not where the agent '${name}' keeps its runs.`,
      remedy: 'Fork with an agent of the same host, or start a new run with that agent.',
    });
  }

  hosts(tenant: string): readonly DurableHost[] {
    return [...new Set(this.of(tenant).map(({ agent }) => agent.host))];
  }

  /** Whose run it is, among the agents of a tenant. */
  ownerOf(tenant: string, host: DurableHost, run: Pick<RunInfo, 'workflow'>): NamedAgent | undefined {
    return this.of(tenant).find(({ agent, workflow }) => agent.host === host && workflow === run.workflow);
  }

  #every(): readonly NamedAgent[] {
    return [...this.#shared, ...[...this.#own.values()].flat()];
  }

  #assertOwnMemory(tenants: readonly string[], guarded: boolean): void {
    if (!guarded) return;
    const sharing = tenants.filter((tenant) => !this.#own.has(tenant) && tenant !== defaultTenant);
    const remembers = this.#shared.find(({ agent }) => agent.options.layers?.some(({ name }) => name === 'lessons'));
    if (!remembers || sharing.length === 0) return;
    throw new UsageError(
      `The agent '${remembers.name}' remembers lessons and would carry them between tenants (${sharing.join(', ')}). Give each of these tenants agents of its own in \`tenants\`, with a lesson scope of their own.`,
    );
  }
}

function named(agents: Readonly<Record<string, Agent>>): NamedAgent[] {
  return Object.entries(agents).map(([name, agent]) => ({ name, agent, workflow: agent.options.name ?? 'assay' }));
}

/** On one host the name is all that tells the runs of two agents apart. */
function assertDistinct(agents: readonly NamedAgent[]): void {
  for (const { agent, workflow } of agents) {
    const twin = agents.find(
      (other) => other.agent !== agent && other.agent.host === agent.host && other.workflow === workflow,
    );
    if (twin) {
      throw new UsageError(
        `Two agents on one host are both named '${workflow}'. Give each a \`name\` of its own in defineAgent.`,
      );
    }
  }
}
