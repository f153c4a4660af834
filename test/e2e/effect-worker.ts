/** Drives one agent run that pays once, until it ends or this process is killed. Started by `effect-kill.test.ts`. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { defineAgent, sqliteHost, tool } from '../../src/index.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { scriptedModel } from '../../src/testing/testing.ts';

const {
  EFFECT_STORE: file = '',
  EFFECT_LOG: log = '',
  EFFECT_RUN: runId = '',
  EFFECT_REPEATABLE: repeatable,
} = process.env;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ sum: z.number() }),
  effect: 'irreversible',
  idempotent: repeatable === '1',
  run: async ({ sum }, { idempotencyKey }) => {
    await wait(Math.random() * 8);
    appendFileSync(log, `${runId} ${idempotencyKey} ${sum}\n`);
    process.stdout.write('paid\n');
    await wait(30);
    return 'paid';
  },
});

const host = sqliteHost({ file, suspendAfterMs: 5, pollMs: 20 });
const model = scriptedModel(({ prompt }) =>
  prompt.some((message) => message.role === 'tool') ? callFinal('done') : callTool('pay', { sum: 7 }),
);
const agent = defineAgent({ model, tools: [pay], host });
process.stdout.write('ready\n');
const known = await host.info(runId);
let result = known ? await agent.resume(runId) : await agent.run('pay seven', { runId });
while (result.status === 'awaiting_approval') {
  const [signal = ''] = (await host.info(runId))?.waitingFor ?? [];
  // The first question is the approval; later ones ask whether to run an interrupted call again.
  const first = !/-\d+:/.test(signal);
  await agent.decide(runId, signal, first ? { approved: true } : { approved: false, reason: 'leave it' });
  result = await agent.resume(runId);
}
process.stdout.write(`ended ${result.attempt.observations[0]?.status}\n`);
await agent.close();
