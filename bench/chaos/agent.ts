/** A run like an agent's, whose every execution of a step leaves a line in a file: what the chaos tests count. */
import { appendFileSync } from 'node:fs';
import type { Durable, Workflow } from '../../src/runtime/durable.ts';

export interface ChaosOptions {
  /** One line `run/key nonce` for every execution of a step. */
  effects: string;
  /** How long a step takes at most. */
  stepMs: number;
}

export const chaosSignal = 'approve';

/** A plan, turns of a model and a tool that must not run twice, samples side by side, an approval, and a last step. */
export function chaosAgent(options: ChaosOptions): Workflow {
  return { name: 'agent', version: 1, run: (durable) => work(durable, options) };
}

async function work(durable: Durable, options: ChaosOptions): Promise<{ seen: string[]; by: unknown }> {
  const seen = [await effect(durable, 'plan', options)];
  for (let turn = 0; turn < 6; turn++) {
    seen.push(await effect(durable, 'model', options));
    seen.push(await effect(durable, 'tool', options, 'at-most-once').catch((error: Error) => error.name));
  }
  const sample = async (branch: Durable): Promise<string[]> => {
    const own: string[] = [];
    for (let turn = 0; turn < 3; turn++) own.push(await effect(branch, 'sample', options));
    return own;
  };
  for (const settled of await durable.parallel('samples', [sample, sample, sample])) {
    if (settled.ok) seen.push(...settled.value);
  }
  const by = await durable.waitFor(chaosSignal);
  await durable.sleep(20);
  return { seen: [...seen, await effect(durable, 'reflect', options)], by };
}

function effect(
  durable: Durable,
  name: string,
  { effects, stepMs }: ChaosOptions,
  kind: 'at-least-once' | 'at-most-once' = 'at-least-once',
): Promise<string> {
  return durable.step(
    name,
    async ({ idempotencyKey }) => {
      const nonce = crypto.randomUUID();
      appendFileSync(effects, `${idempotencyKey} ${nonce}\n`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * stepMs));
      return nonce;
    },
    { effect: kind },
  );
}
