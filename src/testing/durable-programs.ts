import * as fc from 'fast-check';
import { CancelledError, mustPass } from '../core/errors.ts';
import type { Durable } from '../runtime/durable.ts';

/** A random workflow as data. `pace` says when a closure comes back: at once, in a microtask, in a macrotask, after a timer. */
export type Program = Node[];

type Node =
  | { type: 'step'; name: string; pace: 'now' | 'microtask' | 'macrotask' | 'timer'; fails: boolean }
  | { type: 'scope'; name: string; body: Node[] }
  | { type: 'parallel'; name: string; branches: Node[][]; concurrency: number }
  | { type: 'race'; runners: Node[][] };

const name = fc.constantFrom('a', 'b', 'c#', 'd/e');

const step: fc.Arbitrary<Node> = fc.record({
  type: fc.constant('step' as const),
  name,
  pace: fc.constantFrom('now' as const, 'microtask' as const, 'macrotask' as const, 'timer' as const),
  fails: fc.boolean(),
});

function body(depth: number): fc.Arbitrary<Node[]> {
  return fc.array(depth === 0 ? step : fc.oneof({ weight: 3, arbitrary: step }, group(depth - 1)), { maxLength: 4 });
}

function group(depth: number): fc.Arbitrary<Node> {
  return fc.oneof(
    fc.record({ type: fc.constant('scope' as const), name, body: body(depth) }),
    fc.record({
      type: fc.constant('parallel' as const),
      name,
      branches: fc.array(body(depth), { maxLength: 4 }),
      concurrency: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ type: fc.constant('race' as const), runners: fc.array(body(depth), { minLength: 2, maxLength: 3 }) }),
  );
}

/** Sequences, nested groups and races of up to three levels. */
export const programs: fc.Arbitrary<Program> = body(2);

/** What running a program leaves behind. `executed` is told of every execution of a closure and gives its result. */
export interface Execution {
  /** Written by all branches: its order is the order in which results were delivered. */
  trace: string[];
  executed(key: string): string;
}

/** Runs a program as agent code would, with a cleanup step when it is cancelled. Its output is the trace, which depends on every delivery. */
export async function runProgram(durable: Durable, program: Program, execution: Execution): Promise<string[]> {
  try {
    await runNodes(durable, program, execution);
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    execution.trace.push(await durable.step('clean up', ({ idempotencyKey }) => execution.executed(idempotencyKey)));
  }
  execution.trace.push(`${durable.random()} ${durable.uuid()} ${durable.now()}`);
  return [...execution.trace];
}

async function runNodes(durable: Durable, nodes: Node[], execution: Execution): Promise<void> {
  for (const node of nodes) await runNode(durable, node, execution);
}

async function runNode(durable: Durable, node: Node, execution: Execution): Promise<void> {
  switch (node.type) {
    case 'step':
      return runStep(durable, node, execution);
    case 'scope':
      return runNodes(durable.scope(node.name), node.body, execution);
    case 'parallel': {
      const branches = node.branches.map((nodes) => (branch: Durable) => runNodes(branch, nodes, execution));
      const settled = await durable.parallel(node.name, branches, { concurrency: node.concurrency });
      execution.trace.push(`${durable.path} ${node.name} ${settled.length} ${durable.now()}`);
      return;
    }
    case 'race': {
      const runners = node.runners.map((nodes, index) =>
        runNodes(durable.scope(`runner-${index}`), nodes, execution).then(() => index),
      );
      execution.trace.push(`won by ${await Promise.race(runners)}`);
      return;
    }
    default:
      return node satisfies never;
  }
}

async function runStep(durable: Durable, node: Extract<Node, { type: 'step' }>, execution: Execution): Promise<void> {
  const finish = (key: string): string => {
    const value = execution.executed(key);
    if (node.fails) throw new Error(`failed as ${value}`);
    return value;
  };
  const ran = durable.step(node.name, (context): string | Promise<string> => {
    const key = context.idempotencyKey;
    if (node.pace === 'now') return finish(key);
    return pause(node.pace).then(() => finish(key));
  });
  const value = await ran.catch((error: Error) => {
    if (mustPass(error)) throw error;
    return error.message;
  });
  execution.trace.push(`${durable.path} ${node.name} ${value} ${durable.random()} ${durable.now()}`);
}

function pause(pace: 'microtask' | 'macrotask' | 'timer'): Promise<void> {
  if (pace === 'microtask') return Promise.resolve();
  return new Promise((resolve) => (pace === 'macrotask' ? setImmediate(resolve) : setTimeout(resolve, 1)));
}
