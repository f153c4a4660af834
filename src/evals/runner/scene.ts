/** What the runs of one evaluation share. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions } from '../../agent.ts';
import { cachedPrices, type Price, type PricedModel } from '../../model/prices.ts';
import { RateLimiter } from '../../model/rate-limit/rate-limiter.ts';
import { type ModelRoles, modelRoles } from '../../model/roles.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { hostView } from '../../runtime/host-view.ts';
import { sqliteHost } from '../../runtime/sqlite.ts';
import type { Tool } from '../../tools/tool.ts';
import { type SqliteEventStore, sqliteEvents } from '../../trace/event-store.ts';
import type { Configuration, EvalTask, RunSetting, Suite } from '../suite.ts';
import { repliesFile, runsFile } from './evaluation-folder.ts';
import { type ReplyCache, replyCache } from './reply-cache.ts';
import { SuiteBudget } from './suite-budget.ts';

export interface SceneOptions {
  suite: Suite;
  folder: string;
  /** Replies are taken from earlier evaluations of the suite and kept for later ones. */
  cache: boolean;
  onWarning(message: string): void;
}

/** How long a run that waits for a human stays in memory: nobody answers in an evaluation. */
const suspendAfterMs = 20;

export class Scene {
  readonly suite: Suite;
  readonly folder: string;
  /** Agents come and go with their runs, and none of them may close it. */
  readonly host: DurableHost;
  readonly events: SqliteEventStore;
  readonly limiter: RateLimiter;
  readonly cache: ReplyCache | undefined;
  readonly budget: SuiteBudget;
  readonly #host: DurableHost;
  readonly #models: Map<unknown, ModelRoles> = new Map();
  readonly #tools: Set<Tool> = new Set();
  readonly #told: Set<string> = new Set();
  readonly #onWarning: (message: string) => void;

  constructor({ suite, folder, cache, onWarning }: SceneOptions) {
    mkdirSync(folder, { recursive: true });
    this.suite = suite;
    this.folder = folder;
    // Runs that are lost with the power are done again from the cache.
    this.#host = sqliteHost({ file: runsFile(folder), suspendAfterMs, synchronous: 'normal' });
    this.host = hostView(this.#host, { close: async () => {} });
    this.events = sqliteEvents({ file: runsFile(folder) });
    this.limiter = new RateLimiter(suite.limits);
    this.cache = cache ? replyCache(repliesFile(folder)) : undefined;
    this.budget = new SuiteBudget(suite.budget);
    this.#onWarning = onWarning;
  }

  /** Says a thing once, however many runs it is said of. */
  warn(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#onWarning(message);
  }

  /** The models of an agent, loaded once for all its runs. */
  async models(options: AgentOptions): Promise<ModelRoles> {
    const named = options.model ?? options.models;
    const known = this.#models.get(named);
    const models = known ?? modelRoles(options);
    if (!known) this.#models.set(named, models);
    await models.load();
    return models;
  }

  priceWith(options: AgentOptions): (model: PricedModel) => Price | 'free' | undefined {
    return cachedPrices(options.prices, options);
  }

  /** Tools that outlive a run are closed with the evaluation. */
  share(options: AgentOptions): void {
    for (const tool of (options.tools ?? []).flat()) this.#tools.add(tool);
  }

  setting(configuration: Configuration, task: EvalTask, repeat: number): RunSetting {
    const folder = join(this.folder, 'shared', configuration.name, String(repeat));
    mkdirSync(folder, { recursive: true });
    return { task, repeat, folder };
  }

  /** Stops the live runs where they stand. */
  halt(): void {
    void this.#host.close();
    this.budget.giveUp();
  }

  /** Lets nothing wait for room in the budget any more: the evaluation ends. */
  giveUp(): void {
    this.budget.giveUp();
  }

  async close(): Promise<void> {
    await this.#host.close();
    this.events.close();
    this.cache?.close();
    await Promise.allSettled([...this.#tools].map((tool) => tool.close?.()));
  }
}
