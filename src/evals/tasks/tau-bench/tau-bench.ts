import { hash } from 'node:crypto';
import { UsageError } from '../../../core/errors.ts';
import type { Grader } from '../../grader.ts';
import type { Environment, EvalTask } from '../../suite.ts';
import { selectTasks, type TaskSelection } from '../select-tasks.ts';
import { Conversation, replyTool, transferTool } from './conversation.ts';
import type { CustomerSimulator } from './customer.ts';
import { type Changes, changesOf, type RecordedCall, replay } from './desk.ts';
import { type Domain, type DomainData, readDomain } from './domains.ts';
import { agentTask } from './prompts.ts';
import { Expected, type TauBenchState, tauBenchReward } from './reward.ts';

export interface TauBenchOptions {
  /** Holds `taubench_airline.jsonl` or `taubench_retail.jsonl`, `db.json` and `policy.md`. */
  folder: string;
  domain: Domain;
  customer: CustomerSimulator;
  /** Messages that the agent may send. Default 30. */
  turns?: number;
  select?: TaskSelection;
}

/** The parts of a suite: `defineSuite({ ...tauBench(options), solvers })`. */
export interface TauBench {
  name: string;
  description: string;
  tasks: readonly EvalTask[];
  grade: Grader;
  environment(task: EvalTask): Environment;
}

/**
 * tau-bench (Yao et al. 2024, arXiv 2406.12045): each run serves a simulated customer on a database of its own. The tools that change
 * something, `replyToCustomer` included, are `write`, and the agent asks the customer itself: give it `policy: { write: 'allow' }`, 30
 * steps as in the benchmark, and `planLock: false` with a plan, since a plan is made before the customer has said anything. The folder's database may hold only a part
 * of the original's flights; searches find fewer then, and a booking of a missing flight fails.
 * Throws `UsageError` where the folder does not hold the data set.
 */
export function tauBench(options: TauBenchOptions): TauBench {
  const { domain, customer, turns = 30, select = {} } = options;
  const data = readDomain(options.folder, domain);
  checkCalls(data);
  const known = new Map<string, Promise<Changes>>();
  const input = agentTask(data.policy);
  const tasks = data.rows.map(({ id, task, expected }) => ({
    id,
    input,
    expected: { instruction: task, ...expected },
    kind: domain,
  }));
  return {
    name: `tau-bench-${domain}`,
    description: `tau-bench, ${domain}: a simulated customer (${customer.name}) is served on a database; right is its final state.`,
    tasks: selectTasks(tasks, select),
    grade: tauBenchReward({
      // With what the environment is made of: it belongs to what is fixed before a run.
      config: { domain, database: hash('sha256', data.database), customer: customer.name, turns },
      expectedChanges: (task) => {
        const found = known.get(task.id) ?? expectedChanges(data, Expected.parse(task.expected).actions);
        known.set(task.id, found);
        return found;
      },
    }),
    environment(task) {
      const { instruction } = Expected.parse(task.expected);
      const desk = data.open();
      const conversation = new Conversation({ customer, instruction, turns });
      return {
        tools: [conversation.tools(), desk.tools.map((one) => conversation.guarded(one))],
        state: (): TauBenchState => {
          const { replies, ended = null } = conversation;
          return { changes: changesOf(data.tables, desk.tables), replies, ended };
        },
      };
    },
  };
}

/** What the calls of a task make of a fresh database. The transfer changes nothing there. */
export async function expectedChanges(data: DomainData, actions: readonly RecordedCall[]): Promise<Changes> {
  const desk = data.open();
  await replay(
    desk.tools,
    actions.filter(({ name }) => name !== transferTool),
  );
  return changesOf(data.tables, desk.tables);
}

/** A call of an unknown tool would silently change nothing when it is replayed. */
function checkCalls({ rows, open }: DomainData): void {
  const names = [...open().tools.map(({ name }) => name), replyTool, transferTool];
  for (const { id, expected } of rows) {
    const unknown = expected.actions.find(({ name }) => !names.includes(name));
    if (unknown) throw new UsageError(`tau-bench: ${id} calls '${unknown.name}'. The tools are: ${names.join(', ')}.`);
  }
}
