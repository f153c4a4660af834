/** The configurations of an ablation: each mechanism added in turn to the direct answer, and each left out of the whole. */
import { join } from 'node:path';
import type { AgentOptions } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { sqliteLessons } from '../../memory/sqlite-lessons.ts';
import { direct } from '../../solver/direct.ts';
import { lessons } from '../../solver/lessons/lessons.ts';
import { planAndSolve } from '../../solver/plan-and-solve/plan-and-solve.ts';
import { react } from '../../solver/react/react.ts';
import { reflexion } from '../../solver/reflexion/reflexion.ts';
import { selfConsistency } from '../../solver/self-consistency/self-consistency.ts';
import type { Layer } from '../../solver/solver.ts';
import { verification } from '../../solver/verification/verification.ts';
import { type Mechanism, mechanisms } from '../findings.ts';
import type { AblationOptions, Configuration, RunSetting, Suite } from '../suite.ts';

/** The baseline of every ablation. */
export const directName = 'direct';

/** A configuration and the mechanisms in it. */
export interface Rung extends Configuration {
  mechanisms: readonly Mechanism[];
}

/** The mechanisms that a suite can be ablated over. */
export function mechanismsOf(ablation: AblationOptions): Mechanism[] {
  return mechanisms.filter(
    (mechanism) =>
      (mechanism !== 'reflexion' || ablation.evaluator !== undefined) &&
      (mechanism !== 'lessons' || ablation.lessons !== false),
  );
}

/** From the direct answer to all mechanisms, one more on each rung. */
export function ladder(ablation: AblationOptions): Rung[] {
  const all = mechanismsOf(ablation);
  return [
    rung(directName, [], ablation),
    ...all.map((added, index) => rung(`+${added}`, all.slice(0, index + 1), ablation)),
  ];
}

/** All mechanisms but one, for each but the loop, without which nothing is left to plan or verify for. The last rung is what the whole is without its last. */
export function leaveOneOut(ablation: AblationOptions): Rung[] {
  const all = mechanismsOf(ablation);
  return all
    .filter((left) => left !== 'react' && left !== all.at(-1))
    .map((left) =>
      rung(
        withoutName(left),
        all.filter((other) => other !== left && !restsOn(other, left)),
        ablation,
      ),
    );
}

export function withoutName(left: Mechanism): string {
  return `without ${left}`;
}

function restsOn(mechanism: Mechanism, other: Mechanism): boolean {
  return mechanism === 'refine' && other === 'verification';
}

/** What an ablation of the suite compares. Throws `UsageError` for a suite without the material. */
export function ablationOf(suite: Suite): AblationOptions {
  if (suite.ablation) return suite.ablation;
  throw new UsageError(
    `The suite '${suite.name}' cannot be ablated: give it \`ablation: { agent: { model, tools, … } }\`, what the mechanisms are added to.`,
  );
}

/** The agent with these mechanisms and no others. */
export function rung(name: string, chosen: readonly Mechanism[], ablation: AblationOptions): Rung {
  const memory = new LessonStores();
  const has = (mechanism: Mechanism): boolean => chosen.includes(mechanism);
  return {
    name,
    mechanisms: chosen,
    openBook: !has('react'),
    sequential: has('lessons'),
    agent: (setting) => ({
      ...base(ablation, setting),
      solver: has('react') ? react() : direct(),
      layers: layersOf(has, { ablation, setting, memory }),
    }),
    close: () => memory.close(),
  };
}

/** Plain samples of the direct answer, so many that they cost what another configuration does. */
export function samplesOfDirect(name: string, samples: number, ablation: AblationOptions): Rung {
  return {
    name,
    mechanisms: ['self-consistency'],
    openBook: true,
    agent: (setting) => ({
      ...base(ablation, setting),
      solver: direct(),
      layers: [selfConsistency({ ...ablation.selfConsistency, samples, stopEarly: false })],
    }),
  };
}

function base({ agent }: AblationOptions, setting: RunSetting): AgentOptions {
  return typeof agent === 'function' ? agent(setting) : agent;
}

interface Making {
  ablation: AblationOptions;
  setting: RunSetting;
  memory: LessonStores;
}

/** Outermost first, in the order that `compose` asks for. */
function layersOf(has: (mechanism: Mechanism) => boolean, { ablation, setting, memory }: Making): Layer[] {
  const { evaluator } = ablation;
  const rounds = has('refine') ? (ablation.rounds ?? 2) : 0;
  return [
    ...(has('lessons') ? [lessons({ store: memory.in(setting.folder) })] : []),
    ...(has('reflexion') && evaluator
      ? [reflexion({ ...ablation.reflexion, evaluator: evaluator(setting.task) })]
      : []),
    ...(has('self-consistency') ? [selfConsistency(ablation.selfConsistency)] : []),
    ...(has('verification') ? [verification({ ...ablation.verification, refine: { rounds } })] : []),
    ...(has('plan') ? [planAndSolve(ablation.plan)] : []),
  ];
}

/** The runs of one configuration and repeat share what they learn, and no others do. */
class LessonStores {
  readonly #stores: Map<string, LessonStore> = new Map();

  in(folder: string): LessonStore {
    const known = this.#stores.get(folder) ?? sqliteLessons({ file: join(folder, 'lessons.db') });
    this.#stores.set(folder, known);
    return known;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
  }
}
