import * as z from 'zod';
import { modelsOf } from '../../evals/runner/describe.ts';
import { react } from '../../solver/react/react.ts';
import type { Agents, NamedAgent } from '../agents.ts';
import { json, type Route, route } from '../route.ts';
import { NoQuery } from '../schemas.ts';
import { defaultTenant, type ServerOptions } from '../server-options.ts';
import type { Principal } from '../tokens.ts';
import type { TenantLessons } from './lesson-routes.ts';

export interface MeRoutesContext {
  agents: Agents;
  guarded: boolean;
  options: Pick<ServerOptions, 'evaluations' | 'samples' | 'version'>;
  lessonsOf(tenant: string): TenantLessons | undefined;
  onError(error: unknown): void;
}

export const MeView: z.ZodType = z.object({
  tenant: z.string(),
  scopes: z.array(z.string()),
  guarded: z.boolean().describe('Whether requests need a token'),
  version: z.string().optional(),
  agents: z.array(
    z.object({
      name: z.string(),
      solver: z.string(),
      layers: z.array(z.string()),
      models: z
        .array(z.object({ role: z.string(), id: z.string(), source: z.string() }))
        .describe('By role; empty where workers of an engine have them. A stand-in says so in its source'),
    }),
  ),
  lessons: z.boolean(),
  evaluations: z.boolean(),
  samples: z.array(z.object({ title: z.string(), task: z.string(), agent: z.string().optional() })),
});

/** Who asks, and what there is for whoever that is. */
export function meRoutes(context: MeRoutesContext): Route[] {
  const { agents, guarded, options } = context;
  const described = new Map<NamedAgent['agent'], Promise<Described>>();
  const describe = ({ name, agent }: NamedAgent): Promise<Described & { name: string }> => {
    const known = described.get(agent) ?? describedAgent(agent, context.onError);
    described.set(agent, known);
    return known.then((facts) => ({ name, ...facts }));
  };
  const has = (tenant: string, name: string): boolean => agents.of(tenant).some((one) => one.name === name);
  const view = async ({ tenant, scopes }: Principal): Promise<unknown> => ({
    tenant,
    scopes,
    guarded,
    version: options.version,
    agents: await Promise.all(agents.of(tenant).map(describe)),
    lessons: context.lessonsOf(tenant) !== undefined,
    evaluations: options.evaluations !== undefined && tenant === defaultTenant,
    samples: (options.samples ?? []).filter(({ agent }) => agent === undefined || has(tenant, agent)),
  });
  return [
    route({
      method: 'get',
      path: '/v1/me',
      operation: 'getMe',
      summary: 'Who asks, the agents there are for it, and what else it finds here',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'What there is', schema: MeView } },
      handle: async ({ principal }) => json(await view(principal)),
    }),
  ];
}

interface Described {
  solver: string;
  layers: string[];
  models: Awaited<ReturnType<typeof modelsOf>>;
}

async function describedAgent(
  { options }: NamedAgent['agent'],
  onError: MeRoutesContext['onError'],
): Promise<Described> {
  // A model that cannot be had now is told of by the run that wants it.
  const models = options.follow
    ? []
    : await modelsOf(options).catch((error: unknown) => {
        onError(error);
        return [];
      });
  return { solver: (options.solver ?? react()).name, layers: (options.layers ?? []).map(({ name }) => name), models };
}
