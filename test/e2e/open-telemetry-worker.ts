/** Drives one agent run that sends its spans, until it ends or this process is killed. Started by `open-telemetry.test.ts`. */
import * as z from 'zod';
import { defineAgent, sqliteHost, tool } from '../../src/index.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { scriptedModel } from '../../src/testing/testing.ts';
import { otlpExport } from '../../src/trace/open-telemetry/otlp-export.ts';

const { OTEL_STORE: file = '', OTEL_RUN: runId = '', OTEL_HANG: hang } = process.env;

const host = sqliteHost({ file, suspendAfterMs: 5, pollMs: 20 });
const known = await host.info(runId);

const read = tool({
  name: 'read',
  description: 'Reads a page.',
  input: z.object({ page: z.number() }),
  effect: 'read',
  run: async ({ page }) => {
    process.stdout.write(`page ${page}\n`);
    // The first process stands still here until it is killed.
    if (`${page}` === hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
    return `page ${page}`;
  },
});
const model = scriptedModel(({ prompt }) => {
  const read = prompt.filter((message) => message.role === 'tool').length;
  return read < 3 ? callTool('read', { page: read + 1 }) : callFinal('done');
});
const sink = await otlpExport({ delayMs: 1, metrics: false });
const agent = defineAgent({ model, tools: [read], host, sinks: [sink] });
const result = known ? await agent.resume(runId) : await agent.run('read three pages', { runId });
await agent.close();
process.stdout.write(`ended ${result.usage.modelCalls} ${result.usage.toolCalls}\n`);
