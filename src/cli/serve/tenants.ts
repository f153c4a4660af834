/** What each tenant of a served agent has for itself: runs are told apart by the server, lessons by scope. */
import { UsageError } from '../../core/errors.ts';
import { defaultTenant, type TenantOptions } from '../../server/server-options.ts';
import type { TokenSource } from '../../server/tokens.ts';
import type { Workshop } from '../build-agent.ts';

export interface Tenants {
  options: Readonly<Record<string, TenantOptions>>;
  /** Only those of tenants whose lessons are kept apart. */
  tokens: TokenSource;
  close(): Promise<void>;
}

export interface TenantsOptions {
  /** The agent of the tenant `default`. */
  shared: Workshop;
  tokens: TokenSource;
  /** Workers of an engine execute the runs. */
  elsewhere: boolean;
  /** The agent of a workshop with other models, by name. */
  others(workshop: Workshop): Promise<NonNullable<TenantOptions['agents']>>;
  /** The same agent with its lessons in a scope of their own. */
  open(scope: string): Promise<Workshop>;
  warn(text: string): void;
}

/** Throws `UsageError` where tenants would learn from each other's runs. */
export async function openTenants(options: TenantsOptions): Promise<Tenants> {
  const { shared, tokens, elsewhere, open } = options;
  const remembers = shared.agent.options.layers?.some(({ name }) => name === 'lessons') ?? false;
  if (!remembers) return { options: {}, tokens, close: async () => undefined };
  const others = tokens.tenants().filter((tenant) => tenant !== defaultTenant);
  if (others.length > 0 && (elsewhere || shared.lessons === undefined)) {
    throw new UsageError(
      `This agent remembers lessons and would carry them between tenants (${others.join(', ')}). ` +
        `Leave the lessons out of its layers${elsewhere ? ', here and on the workers' : ''}, or serve each tenant by itself.`,
    );
  }
  const workshops = new Map<string, Workshop>();
  for (const tenant of others) workshops.set(tenant, await open(tenant));
  const own: [string, TenantOptions][] = [];
  for (const [tenant, workshop] of workshops) {
    const { agent, lessons } = workshop;
    const agents = { default: agent, ...(await options.others(workshop)) };
    own.push([tenant, { agents, ...(lessons && { lessons: { store: lessons, scope: tenant } }) }]);
  }
  const { lessons } = shared;
  if (lessons) own.push([defaultTenant, { lessons: { store: lessons, scope: defaultTenant } }]);
  return {
    options: Object.fromEntries(own),
    tokens: tokensOf(tokens, new Set([defaultTenant, ...others]), options.warn),
    close: async () => {
      for (const workshop of workshops.values()) await workshop.close();
    },
  };
}

/** A tenant that came later would have the agent, and so the lessons, of another. */
function tokensOf(tokens: TokenSource, served: ReadonlySet<string>, warn: (text: string) => void): TokenSource {
  const told = new Set<string>();
  return {
    tenants: () => [...served],
    find: (id) => {
      const token = tokens.find(id);
      if (!token || served.has(token.tenant)) return token;
      if (!told.has(token.tenant)) warn(`The tenant '${token.tenant}' is new: start the server again to serve it.`);
      told.add(token.tenant);
      return undefined;
    },
  };
}
