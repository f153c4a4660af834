import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';
import type { DurableHost } from '../runtime/durable.ts';
import type { Bench, Case } from './durable-bench.ts';
import { controlCases } from './durable-control-contract.ts';
import { replayCases } from './durable-replay-contract.ts';
import { stepCases } from './durable-steps-contract.ts';
import { waitCases } from './durable-waits-contract.ts';

export interface DurableContractOptions {
  /** Titles of cases this host cannot pass, each with the reason, which the report shows. */
  skip?: Record<string, string>;
  /** How many random programs are tried. Default 50. */
  randomPrograms?: number;
}

/**
 * The contract of `Durable` and `DurableHost` as one suite. `makeHost` opens a host that keeps its state in `dir`, and has to
 * set: a suspension after at most 40 ms, polling at most every 20 ms, two slots for the limit key `shared`, and (where the
 * host has them) blobs above 64 KiB. `dir` is new for each test; the same `dir` twice is the same state.
 */
export function durableContract(
  name: string,
  makeHost: (dir: string) => DurableHost,
  options: DurableContractOptions = {},
): void {
  describe(`durable contract: ${name}`, () => {
    let dir = '';
    const opened: DurableHost[] = [];
    const bench: Bench = {
      open: (...workflows) => {
        const host = makeHost(dir);
        opened.push(host);
        for (const workflow of workflows) host.register(workflow);
        return host;
      },
    };
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'assay-durable-'));
    });
    afterEach(async () => {
      for (const host of opened.splice(0)) await host.close();
      await rm(dir, { recursive: true, force: true });
    });
    const add: Case = (title, body) => {
      const reason = options.skip?.[title];
      if (reason === undefined) test(title, () => body(bench));
      else test.skip(`${title} (skipped: ${reason})`, () => undefined);
    };
    describe('steps', () => stepCases(add));
    describe('waits and children', () => waitCases(add));
    describe('replay', () => replayCases(add, options.randomPrograms ?? 50));
    describe('control', () => controlCases(add));
  });
}
