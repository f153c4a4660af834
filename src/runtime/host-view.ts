import type { DurableHost } from './durable.ts';

/** A host that does what another does, but for what is replaced. */
export function hostView(host: DurableHost, replaced: Partial<DurableHost>): DurableHost {
  return {
    register: (workflow) => host.register(workflow),
    start: (workflow, runId, input) => host.start(workflow, runId, input),
    resume: (runId) => host.resume(runId),
    signal: (runId, name, value) => host.signal(runId, name, value),
    cancel: (runId) => host.cancel(runId),
    result: (runId, options) => host.result(runId, options),
    info: (runId) => host.info(runId),
    beginning: (runId) => host.beginning(runId),
    list: (query) => host.list(query),
    journal: (runId) => host.journal(runId),
    fork: (runId, newRunId, options) => host.fork(runId, newRunId, options),
    close: () => host.close(),
    ...replaced,
  };
}
