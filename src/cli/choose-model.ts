import { UsageError } from '../core/errors.ts';
import { type Detected, detectModel } from '../model/detect.ts';
import { findConfig, loadConfig } from './load-config.ts';
import type { Screen } from './screen.ts';
import { renderRow } from './timeline.ts';

/** The id of the model to use, told with its reason. Throws `UsageError` with everything that was looked for when there is none. */
export async function chooseModel(explicit: string | undefined, screen: Screen): Promise<string> {
  const detected = await detectModel({ env: process.env, explicit });
  if (!detected.found) throw new UsageError(detected.message);
  const { id, reason } = detected.found;
  screen.note(renderRow({ label: 'model', text: `${id} (${reason})` }, screen));
  return id;
}

/** What a run in this folder would use: the model of its config file, else what is found. */
export async function expectedModel(): Promise<Detected> {
  const file = findConfig(undefined);
  const model = file === undefined ? undefined : (await loadConfig(file)).model;
  if (model === undefined) return detectModel({ env: process.env });
  const id = typeof model === 'string' ? model : 'a model of its own';
  return { found: { id, reason: `${file} names it` }, looked: [] };
}
