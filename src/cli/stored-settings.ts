/** Reads the settings that a run was stored with. */
import * as z from 'zod';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { RunInfo } from '../runtime/durable.ts';
import type { CommandContext } from './command.ts';
import { workersExecute } from './engine.ts';
import { layerNames, type Settings, settingsJson } from './settings.ts';

const StoredSettings: z.ZodType<Settings> = z.object({
  model: z.string().optional(),
  fallbacks: z.array(z.string()).optional(),
  onlyLocal: z.boolean().optional(),
  docs: z.string().optional(),
  config: z.string().optional(),
  record: z.string().optional(),
  solver: z.enum(['react', 'direct']).optional(),
  layers: z.array(z.enum(layerNames)).optional(),
  allow: z.enum(['read', 'write', 'all']).optional(),
  maxSteps: z.number().int().positive().optional(),
  smallModel: z.enum(['auto', 'on', 'off']).optional(),
  scope: z.string().optional(),
});

/** The settings a run was stored with. Throws `UsageError` when it was started by a program with an agent of its own. */
export function storedSettings(runId: string, input: unknown): Settings {
  const stored: unknown = Reflect.get(Object(input), 'settings');
  if (Reflect.get(Object(stored), 'demo') === true) {
    throw new UsageError(`The run ${runId} is the demo's. Start \`assay serve --demo\` again: it goes on with it.`);
  }
  const parsed = StoredSettings.safeParse(stored);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `The run ${runId} was not started by this command line, so its agent is not known here. ` +
      'Resume it from the program that started it.',
  );
}

/** The settings to go on with a run: none where a worker executes it, since the agent is there. */
export function settingsOf(run: Pick<RunInfo, 'id' | 'input'>, context: CommandContext): Settings {
  return workersExecute(context) ? {} : storedSettings(run.id, run.input);
}

/** What a run that continues another is stored with; where a worker executes it, what the other one has. */
export function keptSettings(settings: Settings, context: CommandContext): { settings?: Json } {
  return workersExecute(context) ? {} : { settings: settingsJson(settings) };
}
