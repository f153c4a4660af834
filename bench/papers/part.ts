import type { Sink } from '../../src/core/event.ts';
import type { Result } from '../../src/core/result.ts';
import type { Figure } from './figures.ts';
import type { Material } from './material.ts';

/** What one paper's outputs came to. */
export interface PartResult {
  readonly figures: readonly Figure[];
  /** What else was seen, a sentence each. */
  readonly notes: readonly string[];
  readonly work: Work;
}

export interface Part {
  readonly name: string;
  readonly title: string;
  run(material: Material): Promise<PartResult>;
}

/** What it took: every count is the runs' own. */
export interface Work {
  runs: number;
  modelCalls: number;
  toolCalls: number;
  events: number;
}

/** Counts the runs of a part. `sink` belongs to its agents. */
export class Tally {
  readonly work: Work = { runs: 0, modelCalls: 0, toolCalls: 0, events: 0 };
  readonly sink: Sink = {
    name: 'tally',
    write: () => {
      this.work.events++;
    },
  };

  add(...results: readonly Result[]): void {
    for (const { usage } of results) {
      this.work.runs++;
      this.work.modelCalls += usage.modelCalls;
      this.work.toolCalls += usage.toolCalls;
    }
  }
}

/** Does the work for every item, so many at once, and gives the results in the order of the items. */
export async function inParallel<Item, Made>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => PromiseLike<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) made[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return made;
}
