/** What has to be known to build the same agent again: stored with each run, as plain JSON. */
import { resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';

/** The layers a command line can name, outermost first. */
export const layerNames = ['lessons', 'verify', 'plan', 'plan-each-step'] as const;
export type LayerName = (typeof layerNames)[number];

export interface Settings {
  /** A model id. Absent: the model of the config file. */
  model?: string | undefined;
  /** Ids of the models that stand in for it, in order. */
  fallbacks?: string[] | undefined;
  /** No model is asked that is not on this machine. */
  onlyLocal?: boolean | undefined;
  /** Absolute paths, so that the run can be resumed from another directory. */
  docs?: string | undefined;
  config?: string | undefined;
  record?: string | undefined;
  solver?: 'react' | 'direct' | undefined;
  layers?: LayerName[] | undefined;
  /** Up to which effect calls run without asking. */
  allow?: 'read' | 'write' | 'all' | undefined;
  maxSteps?: number | undefined;
  /** Short prompts and one call at a time; absent: by the size of the model. */
  smallModel?: 'auto' | 'on' | 'off' | undefined;
  /** Where lessons apply. */
  scope?: string | undefined;
}

/** The settings as they are stored: absent fields are left out. */
export function settingsJson(settings: Settings): Json {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** A model id that means the same in every directory: the files of `script:` and `replay:` become absolute. */
export function portableModelId(id: string): string {
  const file = /^(script|replay):(.+)$/.exec(id.trim());
  return file?.[1] && file[2] ? `${file[1]}:${resolve(file[2])}` : id.trim();
}

/** Layer names of a list such as `plan,verify`, in the order in which they work; `none` is no layer. */
export function parseLayers(list: string): LayerName[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 1 && names[0] === 'none') return [];
  const unknown = names.find((name) => !layerNames.some((known) => known === name));
  if (names.length === 0 || unknown !== undefined) {
    const said = unknown === undefined ? 'No layer is named' : `There is no layer '${unknown}'`;
    throw new UsageError(`${said}. Choose from ${layerNames.join(', ')}, separated by commas, or none.`);
  }
  const chosen = layerNames.filter((name) => names.includes(name));
  if (chosen.includes('plan') && chosen.includes('plan-each-step')) {
    throw new UsageError("The layers 'plan' and 'plan-each-step' are two ways to plan. Choose one of them.");
  }
  return chosen;
}
