/** An agent with a plan, tools, verification and an approval, on whatever host; as a program it serves it to Restate until it is killed. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { type Agent, defineAgent, planAndSolve, tool, verification } from '../../src/index.ts';
import type { DurableHost } from '../../src/runtime/durable.ts';
import { restateHost, serveRestate } from '../../src/runtime/restate.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing/testing.ts';

const { RESTATE_AGENT } = process.env;

export interface AgentWorkerOptions {
  ingress: string;
  admin: string;
  port: number;
  /** One line for every call of a model or a tool that was really made. */
  log: string;
  /** How long each of them takes. */
  delayMs: number;
}

const price = tool({
  name: 'price',
  description: 'Looks up a price.',
  input: z.object({ of: z.string() }),
  effect: 'read',
  run: ({ of }) => `a ${of} costs 7 euros`,
});

const evidence = [{ text: 'an oar costs 7 euros', evidence: [{ observation: 'obs-1', quote: 'oar costs 7 euros' }] }];

/** A function of the prompt alone, so that it says the same in every process. */
function replyTo(role: string, prompt: string, observations: number): ScriptedReply {
  switch (role) {
    case 'planner':
      return JSON.stringify({ goal: 'an oar', effects: ['order'], steps: [{ id: 'look', objective: 'price' }] });
    case 'questions':
      return JSON.stringify({ questions: [{ question: 'What does an oar cost?', claim: 1 }] });
    case 'answers':
      return JSON.stringify({ answer: 'seven euros' });
    case 'verdict':
      return JSON.stringify({ verdict: 'pass', needsMoreTools: false, issues: [] });
    default:
      if (observations === 0) return callTool('price', { of: 'oar' });
      if (observations === 1) return callTool('order', { item: 'oar' });
      return callFinal(prompt.includes('was ordered') ? 'ordered for 7 euros' : 'not ordered', evidence);
  }
}

export function boatAgent(host: DurableHost, { log, delayMs }: Pick<AgentWorkerOptions, 'log' | 'delayMs'>): Agent {
  const made = async (what: string): Promise<void> => {
    appendFileSync(log, `${what}\n`);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  };
  const order = tool({
    name: 'order',
    description: 'Orders a thing.',
    input: z.object({ item: z.string() }),
    effect: 'irreversible',
    run: async ({ item }) => {
      await made('order');
      return `the ${item} was ordered`;
    },
  });
  const model = scriptedModel(async ({ prompt }, { role }) => {
    await made(`model ${role}`);
    return replyTo(role, JSON.stringify(prompt), prompt.filter((message) => message.role === 'tool').length);
  });
  const prices = { scripted: { inputPerMillion: 2, outputPerMillion: 8 } };
  return defineAgent({ model, tools: [price, order], layers: [verification(), planAndSolve()], host, prices });
}

if (RESTATE_AGENT !== undefined) {
  // Written by whoever started this process.
  const options = JSON.parse(RESTATE_AGENT) as AgentWorkerOptions;
  const host = restateHost(options);
  boatAgent(host, options);
  await serveRestate({ ...options, workflows: host, listen: { port: options.port } });
  process.stdout.write('ready\n');
}
