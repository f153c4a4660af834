/** What `assay serve --demo` serves: two agents of the bundled sample in two languages, and tasks to start with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, type AgentOptions } from '../../agent.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { parseScript, scriptedModel } from '../../model/providers/script-model.ts';
import { resolveModel } from '../../model/resolve.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import type { SampleTask } from '../../server/server-options.ts';
import type { EventStore } from '../../trace/events.ts';
import { agentFor } from '../build-agent.ts';
import { type DemoModel, demoDocs, demoLimits, demoModel, demoScript } from '../demo-sample.ts';
import { type DemoLanguage, demoTexts } from '../demo-texts.ts';
import { openEvents, openHost, openLessons } from '../engine.ts';
import type { Home } from '../home.ts';
import { sendOffer } from './send-offer.ts';

export interface Demo {
  agents: Readonly<Record<string, Agent>>;
  samples: readonly SampleTask[];
  events: EventStore;
  lessons: LessonStore;
  model: DemoModel;
  close(): Promise<void>;
}

export interface DemoOptions {
  home: Home;
  /** Default: what is found, else the sample's script. */
  model: string | undefined;
  /** Milliseconds that a scripted reply takes, so that people can follow. */
  replyMs: number;
  onWarning(message: string): void;
}

const languages: readonly DemoLanguage[] = ['en', 'zh'];

interface Bench {
  options: DemoOptions;
  model: DemoModel;
  host: DurableHost;
  events: EventStore;
  closers: (() => unknown)[];
}

/** The agents are named in the host as they are in requests, so that nobody else's runs are theirs. */
export async function openDemo(options: DemoOptions): Promise<Demo> {
  const { home } = options;
  const model = await demoModel(options.model);
  const [host, events, lessons] = await Promise.all([
    openHost(home.engine, home.runs),
    openEvents(home.runs),
    openLessons(home.lessons),
  ]);
  const bench: Bench = { options, model, host, events, closers: [] };
  const agents: Record<string, Agent> = {};
  const samples: SampleTask[] = [];
  for (const language of languages) {
    const texts = demoTexts[language];
    const { desk, offer } = texts.agents;
    agents[desk] = await priceDesk(desk, language, bench);
    agents[offer] = await offerDesk(offer, language, bench);
    samples.push(
      { title: texts.samples.desk, task: texts.question, agent: desk },
      { title: texts.samples.offer, task: texts.offer, agent: offer },
    );
  }
  const close = async (): Promise<void> => {
    for (const agent of Object.values(agents)) await agent.close();
    for (const closer of bench.closers) await closer();
    await lessons.close();
    await events.close();
  };
  return { agents, samples, events, lessons, model, close };
}

/** The agent of `assay demo`, with its memory. */
async function priceDesk(name: string, language: DemoLanguage, bench: Bench): Promise<Agent> {
  const settings = { model: bench.model.id, docs: demoDocs(language), scope: `demo-${language}` };
  const { agent, store } = await agentFor(settings, { home: bench.options.home });
  bench.closers.push(() => store?.close());
  return agentOf({ ...agent, model: await modelFor('script.json', bench) }, name, bench);
}

/** The same desk with an effect: a human is asked before anything is sent. */
async function offerDesk(name: string, language: DemoLanguage, bench: Bench): Promise<Agent> {
  const { home } = bench.options;
  const settings = { model: bench.model.id, docs: demoDocs(language), layers: ['verify' as const, 'plan' as const] };
  const { agent } = await agentFor(settings, { home });
  const tools = [...(agent.tools ?? []), sendOffer(join(home.folder, 'outbox'))];
  return agentOf({ ...agent, tools, model: await modelFor('send-offer.json', bench) }, name, bench);
}

function agentOf(made: AgentOptions, name: string, { host, events, options }: Bench): Agent {
  const { onWarning } = options;
  return new Agent({ ...made, name, host, sinks: [events.sink()], budget: demoLimits, onWarning });
}

/** Where no model is found, one that follows the agent's own script. */
async function modelFor(script: string, { model, options }: Bench): Promise<AgentOptions['model']> {
  if (model.id !== `script:${demoScript('script.json')}`) return resolveModel(model.id);
  const file = demoScript(script);
  return scriptedModel(parseScript(readFileSync(file, 'utf8'), file), { modelId: script, delayMs: options.replyMs });
}
