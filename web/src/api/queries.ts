import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ask, askJson, withQuery } from './client.ts';
import type {
  ApprovalView,
  CallList,
  CallView,
  EvidenceView,
  Limits,
  Me,
  ObservationView,
  RunPage,
  RunStatus,
  RunView,
  StepView,
} from './shapes.ts';

export interface RunsFilter {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  search?: string | undefined;
  after?: string | undefined;
}

/** Milliseconds between two looks at what has no event stream. */
const lookMs = 3_000;
/** The same for a run under way, which is mostly followed by its events. */
const runningLookMs = 1_000;
const pageSize = 50;

/** The address of a run's own resources. */
export function runPath(id: string, rest = ''): string {
  return `v1/runs/${encodeURIComponent(id)}${rest}`;
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => askJson<Me>('v1/me', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether whoever looks may start runs and change them. */
export function useCanRun(): boolean {
  return useQuery(meQuery).data?.scopes.includes('run') ?? false;
}

export const runsQuery = (filter: RunsFilter) =>
  queryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ signal }) => askJson<RunPage>(withQuery('v1/runs', { ...filter, limit: pageSize }), { signal }),
    refetchInterval: lookMs,
    placeholderData: keepPreviousData,
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => askJson<RunView>(runPath(id), { signal }),
    // The event that a call waits, or that the run has ended, may come before the server has stored it.
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? runningLookMs : false),
  });

export const observationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id, 'observations'],
    queryFn: async ({ signal }) =>
      (await askJson<{ observations: ObservationView[] }>(runPath(id, '/observations'), { signal })).observations,
  });

export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id, 'steps'],
    queryFn: async ({ signal }) => (await askJson<{ steps: StepView[] }>(runPath(id, '/steps'), { signal })).steps,
  });

export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id, 'calls'],
    queryFn: ({ signal }) => askJson<CallList>(runPath(id, '/calls'), { signal }),
  });

export const callQuery = (id: string, index: number) =>
  queryOptions({
    queryKey: ['run', id, 'calls', index],
    queryFn: ({ signal }) => askJson<CallView>(runPath(id, `/calls/${index}`), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const evidenceQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id, 'evidence'],
    queryFn: ({ signal }) => askJson<EvidenceView>(runPath(id, '/evidence'), { signal }),
  });

export const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: async ({ signal }) => (await askJson<{ approvals: ApprovalView[] }>('v1/approvals', { signal })).approvals,
  refetchInterval: lookMs,
});

export interface StartOptions {
  task: { input: string; constraints?: string[] };
  agent?: string | undefined;
  budget?: Limits | undefined;
}

export function useStartRun() {
  return useAct((options: StartOptions) => {
    // The same key with the same body is the same run, however often the request is sent.
    const headers = { 'idempotency-key': crypto.randomUUID() };
    return askJson<RunView>('v1/runs', { method: 'POST', body: options, headers });
  });
}

export type ForkOptions = { at: number; agent?: string; observation?: { content: string }; task?: { input: string } };

export function useForkRun(id: string) {
  return useAct((options: ForkOptions) => askJson<RunView>(runPath(id, '/fork'), { method: 'POST', body: options }));
}

export function useCancelRun(id: string) {
  return useAct(() => askJson<RunView>(runPath(id, '/cancel'), { method: 'POST', body: {} }));
}

export function useResumeRun(id: string) {
  return useAct((budget: Limits | undefined) =>
    askJson<RunView>(runPath(id, '/resume'), { method: 'POST', body: budget ? { budget } : {} }),
  );
}

/** An action after which whatever is shown may be out of date. */
export function useAct<Options, Answer>(act: (options: Options) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: act, onSuccess: () => refresh(client) });
}

/** For answers without a body. */
export async function act(path: string, options: Parameters<typeof ask>[1]): Promise<void> {
  await ask(path, options);
}

function refresh(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
}
