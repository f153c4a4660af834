/**
 * Searches a tree of states (Yao et al. 2023b, algorithms 1 and 2).
 *
 * 1. The order is fixed: states in the order they were proposed, equal values too. What runs side by side is collected in that order.
 * 2. A state is visited once: one with the key of an earlier one is a duplicate.
 * 3. It ends at a state that code knows to be a solution, when nothing is left, or at a limit; the best state so far is known at any time.
 */
import type { EventBody } from '../../core/event.ts';
import { endingOf } from '../direct.ts';
import type { SearchProblem, ThinkContext, Thinker } from './problem.ts';
import { type Failure, proposeAll, type Valuation, valueAll } from './state-values.ts';

export interface SearchSettings {
  method: 'breadth-first' | 'depth-first';
  /** Steps from the root. */
  depth: number;
  /** States kept a level, breadth-first. */
  beam: number;
  /** States valued less are pruned, depth-first. */
  threshold: number;
  /** States at most. */
  maxStates: number;
  /** Values are votes among the states of a level, or of one parent, and not each state's own. */
  vote: boolean;
}

export interface SearchNode<State> {
  id: string;
  parent: string;
  depth: number;
  state: State;
  value: number;
}

type NodeVerdict = Extract<EventBody, { type: 'search.node' }>['verdict'];
type Cut = ReturnType<typeof endingOf>;

export interface SearchOutcome<State> {
  /** The first state that code knows to be a solution. */
  solution: SearchNode<State> | undefined;
  /** The states kept last, best first. */
  beam: readonly SearchNode<State>[];
  /** The best complete state, or the best of the beam where none is complete. */
  best: SearchNode<State>;
  visited: number;
  /** What cut the search short. */
  cut: Cut | undefined;
}

export interface SearchWork<State> {
  problem: SearchProblem<State>;
  thinker: Thinker<State>;
  settings: SearchSettings;
  context: ThinkContext;
  /** Hears of the best state so far, for a run that is interrupted. */
  keep(best: SearchNode<State>): void;
}

/** Searches from the root. Emits `search.node` for every state and `search.end`. */
export async function searchTree<State>(root: State, work: SearchWork<State>): Promise<SearchOutcome<State>> {
  const search = new Search(root, work);
  const { method } = work.settings;
  const outcome = method === 'breadth-first' ? await search.breadthFirst() : await search.depthFirst();
  const { best, visited } = outcome;
  work.context.run.emit({ type: 'search.end', visited, best: work.problem.render(best.state), value: best.value });
  return outcome;
}

class Search<State> {
  readonly #work: SearchWork<State>;
  readonly #valuation: Valuation<State>;
  readonly #root: SearchNode<State>;
  readonly #seen: Set<string>;
  #visited = 0;
  #solution: SearchNode<State> | undefined;
  #complete: SearchNode<State> | undefined;
  #cut: Cut | undefined;

  constructor(root: State, work: SearchWork<State>) {
    const { problem, thinker, settings, context } = work;
    this.#work = work;
    this.#valuation = { problem, thinker, vote: settings.vote, context, known: new Map() };
    this.#root = { id: 'n0', parent: '', depth: 0, state: root, value: 0 };
    this.#seen = new Set([problem.key(root)]);
  }

  async breadthFirst(): Promise<SearchOutcome<State>> {
    let beam: readonly SearchNode<State>[] = [this.#root];
    for (let level = 1; level <= this.#work.settings.depth && !this.#isOver(); level++) {
      const open = beam.filter((node) => !this.#isComplete(node));
      const children = await this.#expand(open);
      if (children.length === 0) break;
      const done = beam.filter((node) => !open.includes(node));
      const kept = await this.#best(done, children);
      // A level that was cut short may lack its best states.
      const isWorse = this.#cut !== undefined && level > 1 && worthOf(kept[0]) < worthOf(beam[0]);
      if (kept.length > 0 && !isWorse) beam = kept;
      this.#work.keep(this.#outcome(beam).best);
    }
    return this.#outcome(beam);
  }

  /** The best of a level. Votes are given among those that stand beside each other; a value is a state's own and stays. */
  async #best(
    done: readonly SearchNode<State>[],
    children: readonly SearchNode<State>[],
  ): Promise<SearchNode<State>[]> {
    const { beam: width, vote } = this.#work.settings;
    const valued = await this.#valued(vote ? [...done, ...children] : children);
    const kept = (vote ? valued : [...done, ...valued]).toSorted((a, b) => b.value - a.value).slice(0, width);
    const isNew = new Set(children.map(({ id }) => id));
    for (const node of valued) {
      if (isNew.has(node.id)) this.#tell(node, kept.includes(node) ? 'kept' : 'pruned');
    }
    return kept;
  }

  async depthFirst(): Promise<SearchOutcome<State>> {
    const open = [this.#root];
    let best: readonly SearchNode<State>[] = [];
    for (let node = open.pop(); node && !this.#isOver(); node = open.pop()) {
      if (node.depth >= this.#work.settings.depth || this.#isComplete(node)) continue;
      const kept = this.#promising(await this.#valued(await this.#expand([node])));
      const [first] = kept;
      if (first && best.every((other) => isBetter(first, other))) best = [first];
      open.push(...kept.toReversed());
      this.#work.keep(this.#outcome(best).best);
    }
    return this.#outcome(best);
  }

  /** The children that are not pruned, best first. */
  #promising(children: readonly SearchNode<State>[]): SearchNode<State>[] {
    const { threshold } = this.#work.settings;
    for (const child of children) this.#tell(child, child.value >= threshold ? 'kept' : 'pruned');
    return children.filter(({ value }) => value >= threshold).toSorted((a, b) => b.value - a.value);
  }

  #isOver(): boolean {
    return this.#solution !== undefined || this.#cut !== undefined;
  }

  /** The new states one step on from the nodes, in order; none beside a solution. */
  async #expand(nodes: readonly SearchNode<State>[]): Promise<SearchNode<State>[]> {
    if (nodes.length === 0) return [];
    const { values, failure } = await proposeAll(
      nodes.map(({ state }) => state),
      this.#valuation,
    );
    this.#cutBy(failure);
    const children: SearchNode<State>[] = [];
    for (const [index, parent] of nodes.entries()) {
      for (const state of values[index] ?? []) {
        const child = this.#visit(state, parent);
        if (child) children.push(child);
      }
    }
    if (!this.#solution) return children;
    for (const child of children) this.#tell(child, 'pruned');
    return [];
  }

  /** The node of a proposed state, if it goes on from there. After a solution or the last state allowed, nothing is visited. */
  #visit(state: State, parent: SearchNode<State>): SearchNode<State> | undefined {
    const { problem, settings } = this.#work;
    if (this.#solution) return undefined;
    if (this.#visited >= settings.maxStates) {
      this.#cut ??= { type: 'limit', limit: 'steps', detail: `the search visited ${this.#visited} states` };
      return undefined;
    }
    this.#visited++;
    const node = { id: `n${this.#visited}`, parent: parent.id, depth: parent.depth + 1, state, value: 0 };
    const key = problem.key(state);
    if (this.#seen.has(key)) {
      this.#tell(node, 'duplicate');
      return undefined;
    }
    this.#seen.add(key);
    if (!problem.isSolution?.(state)) return node;
    this.#solution = { ...node, value: problem.evaluate?.(state) ?? 1 };
    this.#tell(this.#solution, 'solution');
    return undefined;
  }

  /** The nodes that could be valued, with their values. */
  async #valued(nodes: readonly SearchNode<State>[]): Promise<SearchNode<State>[]> {
    const { values, failure } = await valueAll(
      nodes.map(({ state }) => state),
      this.#valuation,
    );
    this.#cutBy(failure);
    const valued: SearchNode<State>[] = [];
    for (const [index, node] of nodes.entries()) {
      const value = values[index];
      if (value === undefined) {
        this.#tell(node, 'pruned');
        // An answer that nobody could judge any more is still better than none.
        if (this.#isComplete(node)) this.#complete ??= node;
        continue;
      }
      const known = { ...node, value };
      valued.push(known);
      if (this.#isComplete(known) && (!this.#complete || isBetter(known, this.#complete))) this.#complete = known;
    }
    return valued;
  }

  #cutBy(failure: Failure | undefined): void {
    if (failure) this.#cut ??= endingOf(failure);
  }

  #isComplete({ state }: SearchNode<State>): boolean {
    return this.#work.problem.isComplete?.(state) ?? false;
  }

  #tell({ id, parent, depth, state, value }: SearchNode<State>, verdict: NodeVerdict): void {
    const { context, problem } = this.#work;
    if (!context.run.watched) return;
    const body = { node: id, parent, depth, state: problem.render(state), value, verdict };
    context.run.emit({ type: 'search.node', ...body });
  }

  #outcome(beam: readonly SearchNode<State>[]): SearchOutcome<State> {
    const standing = beam.find((node) => this.#isComplete(node)) ?? this.#complete;
    const best = this.#solution ?? standing ?? beam[0] ?? this.#root;
    return { solution: this.#solution, beam, best, visited: this.#visited, cut: this.#cut };
  }
}

function worthOf(node: SearchNode<unknown> | undefined): number {
  return node?.value ?? Number.NEGATIVE_INFINITY;
}

/** A higher value; of equal ones the one that is further on. */
function isBetter<State>(a: SearchNode<State>, b: SearchNode<State>): boolean {
  return a.value > b.value || (a.value === b.value && a.depth > b.depth);
}
