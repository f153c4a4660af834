/** Makes the agent of the command line from settings that are JSON, so that a stored run gets the same agent again. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent, type AgentOptions } from '../agent.ts';
import type { Limits } from '../core/budget.ts';
import { UsageError } from '../core/errors.ts';
import type { Sink } from '../core/event.ts';
import type { LessonStore } from '../memory/memory.ts';
import { type ModelSource, sourceOf } from '../model/capability.ts';
import { resolveModel } from '../model/resolve.ts';
import { direct } from '../solver/direct.ts';
import { react } from '../solver/react/react.ts';
import type { Layer } from '../solver/solver.ts';
import { calculator } from '../tools/builtin/calculator/calculator.ts';
import { fetchPage } from '../tools/builtin/fetch-page.ts';
import type { Tool } from '../tools/tool.ts';
import type { EventStore } from '../trace/events.ts';
import { openEvents, openHost, openLessons } from './engine.ts';
import type { Home } from './home.ts';
import { loadConfig } from './load-config.ts';
import { policyFor } from './policy-for.ts';
import { workersModel, workersPrices } from './remote-agent.ts';
import type { LayerName, Settings } from './settings.ts';

/** An agent with what it stands on. `close` stops its runs where they stand and releases everything. */
export interface Workshop {
  readonly agent: Agent;
  readonly events: EventStore;
  /** What answers when the model is asked, where that is known. */
  readonly source: ModelSource | undefined;
  /** The lessons it remembers, where the command line gave it a memory. */
  readonly lessons: LessonStore | undefined;
  close(): Promise<void>;
}

export interface WorkshopOptions {
  home: Home;
  sinks?: readonly Sink[];
  budget?: Limits;
  /** Of a run that is there already: its workflow, as the engine has it. */
  workflow?: string | undefined;
  /** Workers of the engine execute the runs, so no model is needed here. */
  elsewhere?: boolean;
  onWarning?(message: string): void;
}

const smallModels = { auto: 'auto', on: true, off: false } as const;

const defaultLayers: readonly LayerName[] = ['lessons', 'verify', 'plan'];

/** Throws `UsageError` for settings that cannot work, `StateError` for state that cannot be opened. */
export async function openWorkshop(settings: Settings, options: WorkshopOptions): Promise<Workshop> {
  const { agent: made, store } = await agentFor(settings, options);
  const model = await modelFor({ ...settings, onlyLocal: made.onlyLocal }, made.model);
  const { engine, runs } = options.home;
  const [host, events] = await Promise.all([openHost(engine, runs), openEvents(runs)]);
  const agent = new Agent({
    ...made,
    ...(options.workflow !== undefined && { name: options.workflow }),
    model,
    host,
    ...(options.elsewhere && { follow: events }),
    sinks: [...(made.sinks ?? []), events.sink(), ...(options.sinks ?? [])],
    budget: { ...made.budget, ...options.budget },
    ...(options.onWarning && { onWarning: options.onWarning }),
  });
  return {
    agent,
    events,
    source: sourceFor(model),
    lessons: store,
    close: async () => {
      await agent.close();
      await events.close();
      await store?.close();
    },
  };
}

/** What the settings make of an agent, with its model as it is named: nothing is asked or opened yet. `store` is to be closed. */
export async function agentFor(
  settings: Settings,
  { home, elsewhere = false }: Pick<WorkshopOptions, 'home' | 'elsewhere'>,
): Promise<{ agent: AgentOptions; store?: LessonStore }> {
  const configured = settings.config === undefined ? undefined : await loadConfig(settings.config);
  const own = configured?.model ?? configured?.models;
  const chosen = elsewhere ? workersModel() : (settings.model ?? own);
  if (chosen === undefined) throw new UsageError('No model is named: give --model, or `model` in the config file.');
  const { list, store } = await layersFor(settings, { configured, home });
  const agent = {
    ...configured,
    model: chosen,
    models: undefined,
    onlyLocal: settings.onlyLocal ?? configured?.onlyLocal,
    tools: await toolsFor(settings, configured),
    layers: list,
    solver: solverFor(settings, configured),
    policy: policyFor(settings.allow, configured?.policy),
    ...(settings.smallModel && { smallModel: smallModels[settings.smallModel] }),
    ...(elsewhere && { prices: workersPrices }),
  };
  return { agent, ...(store && { store }) };
}

type ModelsOfSettings = Pick<Settings, 'record' | 'fallbacks' | 'onlyLocal'>;

async function modelFor(
  { record, fallbacks = [], onlyLocal }: ModelsOfSettings,
  chosen: AgentOptions['model'],
): Promise<AgentOptions['model']> {
  if (typeof chosen !== 'string') {
    const option = record !== undefined ? '--record' : fallbacks.length > 0 ? '--fallback' : undefined;
    if (option === undefined) return chosen;
    throw new UsageError(`${option} needs a model by its id: name it with --model, or as a text in the config file.`);
  }
  const models: LanguageModelV4[] = [];
  for (const id of [chosen, ...fallbacks]) models.push(await resolveModel(id, { record, onlyLocal }));
  return models.length === 1 ? models[0] : models;
}

function sourceFor(model: AgentOptions['model']): ModelSource | undefined {
  const first: unknown = Array.isArray(model) ? model[0] : model;
  const isModel = typeof first === 'object' && first !== null && 'provider' in first;
  // Every object with a provider among the choices is a model of some version of the specification.
  return isModel ? sourceOf(first as LanguageModelV4) : undefined;
}

function solverFor(settings: Settings, configured: AgentOptions | undefined): NonNullable<AgentOptions['solver']> {
  if (settings.solver === 'direct') return direct();
  const named = settings.solver !== undefined || settings.maxSteps !== undefined;
  if (configured?.solver && !named) return configured.solver;
  return react(settings.maxSteps === undefined ? {} : { maxSteps: settings.maxSteps });
}

async function layersFor(
  settings: Settings,
  from: { configured: AgentOptions | undefined; home: Home },
): Promise<{ list: readonly Layer[]; store?: LessonStore }> {
  if (from.configured && settings.layers === undefined) return { list: from.configured.layers ?? [] };
  const names = settings.layers ?? defaultLayers;
  const others = names.filter((name) => name !== 'lessons');
  const list = await Promise.all(others.map(layerFor));
  if (others.length === names.length) return { list };
  const { lessons } = await import('../solver/lessons/lessons.ts');
  const store = await openLessons(from.home.lessons);
  const { scope } = settings;
  const memory = lessons({ store, ...(scope !== undefined && { scope }) });
  return { list: [memory, ...list], store };
}

/** A layer is loaded when it is named. */
async function layerFor(name: Exclude<LayerName, 'lessons'>): Promise<Layer> {
  if (name === 'verify') return (await import('../solver/verification/verification.ts')).verification();
  const { planAndSolve } = await import('../solver/plan-and-solve/plan-and-solve.ts');
  return name === 'plan' ? planAndSolve() : planAndSolve({ mode: 'each-step' });
}

/** The tools a run with these settings has. */
export async function toolsFor(settings: Settings, configured: AgentOptions | undefined): Promise<readonly Tool[]> {
  const documents = settings.docs === undefined ? [] : await documentTools(settings.docs);
  const own =
    configured?.tools?.flat().filter(({ name }) => !documents.some((document) => document.name === name)) ?? [];
  if (configured) return [...own, ...documents];
  return [calculator(), ...documents, fetchPage()];
}

async function documentTools(folder: string): Promise<Tool[]> {
  const { checkFolder, readDoc, searchDocs } = await import('../tools/builtin/search-docs.ts');
  checkFolder(folder);
  return [searchDocs(folder), readDoc(folder)];
}
