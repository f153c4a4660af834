/** The options that decide how a run goes, as settings and limits. */
import { resolve } from 'node:path';
import type { Limits } from '../core/budget.ts';
import { onlyLocalByEnvironment } from '../model/only-local.ts';
import { chooseModel } from './choose-model.ts';
import { type CommandContext, numberOption, switchOption, textOption } from './command.ts';
import { workersExecute } from './engine.ts';
import { findConfig } from './load-config.ts';
import { parseLayers, portableModelId, type Settings } from './settings.ts';

/** The settings a command line names; the model may still be open. */
export function settingsFrom(context: CommandContext): Settings {
  const absolute = (name: string): string | undefined => {
    const value = textOption(context, name);
    return value === undefined ? undefined : resolve(value);
  };
  const layers = textOption(context, 'layers');
  return {
    ...changedSettings(context),
    fallbacks: fallbacksIn(context),
    onlyLocal: onlyLocalIn(context) || undefined,
    docs: absolute('docs'),
    record: absolute('record'),
    config: findConfig(textOption(context, 'config')),
    layers: layers === undefined ? undefined : parseLayers(layers),
    // The option table lets these words through only.
    solver: textOption(context, 'solver') as Settings['solver'],
    allow: textOption(context, 'yes') as Settings['allow'],
    smallModel: textOption(context, 'smallModel') as Settings['smallModel'],
  };
}

/** The settings with a model: the one that is named, else the one of the config file, else what is found. */
export async function agentSettings(context: CommandContext): Promise<Settings> {
  const settings = settingsFrom(context);
  const { config, model, onlyLocal } = settings;
  if (config !== undefined && model === undefined) return settings;
  return { ...settings, model: await chooseModel(model, context.screen, { onlyLocal }) };
}

function fallbacksIn({ options }: CommandContext): string[] | undefined {
  const named = options['fallback'];
  return Array.isArray(named) && named.length > 0 ? named.map(portableModelId) : undefined;
}

/** Stored with the run, so that it goes on under the same rule elsewhere. */
function onlyLocalIn(context: CommandContext): boolean {
  return switchOption(context, 'onlyLocal') || onlyLocalByEnvironment(process.env);
}

/** The same, without a model where workers of an engine execute the runs. */
export async function clientSettings(context: CommandContext): Promise<Settings> {
  return workersExecute(context) ? settingsFrom(context) : agentSettings(context);
}

/** What may change when a run goes on: the model and the number of steps. Only what was given. */
export function changedSettings(context: CommandContext): Pick<Settings, 'model' | 'maxSteps'> {
  const model = textOption(context, 'model');
  const maxSteps = numberOption(context, 'maxSteps');
  return {
    ...(model !== undefined && { model: portableModelId(model) }),
    ...(maxSteps !== undefined && { maxSteps }),
  };
}

/** The limits a command line names. */
export function limitsFrom(context: CommandContext): Limits {
  const usd = numberOption(context, 'budgetUsd');
  const tokens = numberOption(context, 'budgetTokens');
  const calls = numberOption(context, 'budgetCalls');
  const seconds = numberOption(context, 'timeout');
  return {
    ...(usd !== undefined && { usd }),
    ...(tokens !== undefined && { tokens }),
    ...(calls !== undefined && { modelCalls: calls, toolCalls: calls }),
    ...(seconds !== undefined && { ms: seconds * 1000 }),
  };
}
