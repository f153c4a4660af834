import { UsageError } from '../core/errors.ts';
import { type Detected, detectModel } from '../model/detect.ts';
import { firstChoices } from '../model/roles.ts';
import { findConfig, loadConfig } from './load-config.ts';
import type { Screen } from './screen.ts';
import { renderRow } from './timeline.ts';

/**
 * The id of the model to use, told with its reason. Where there is none, a human at a terminal is offered one that runs here; else throws
 * `UsageError` with everything that was looked for.
 */
export async function chooseModel(
  explicit: string | undefined,
  screen: Screen,
  { onlyLocal }: { onlyLocal?: boolean | undefined } = {},
): Promise<string> {
  const detected = await detectModel({ env: process.env, explicit, onlyLocal });
  if (!detected.found) return offeredModel(detected.message, screen);
  const { id, reason } = detected.found;
  screen.note(renderRow({ label: 'model', text: `${id} (${reason})` }, screen));
  return id;
}

async function offeredModel(message: string, screen: Screen): Promise<string> {
  const { mayOffer, offerModel } = await import('./models/offer-model.ts');
  // A server that the user named and that does not answer is to be mended, not replaced.
  const canHelp = mayOffer(screen, process.env) && !process.env['OPENAI_BASE_URL']?.trim();
  const id = canHelp ? await offerModel(screen, process.env) : undefined;
  if (id === undefined) throw new UsageError(message);
  return id;
}

/** What a run in this folder would use: the model of its config file, else what is found. */
export async function expectedModel(): Promise<Detected> {
  const file = findConfig(undefined);
  const [[, model] = []] = file === undefined ? [] : firstChoices(await loadConfig(file));
  if (model === undefined) return detectModel({ env: process.env });
  const id = typeof model === 'string' ? model : 'a model of its own';
  return { found: { id, reason: `${file} names it` }, looked: [] };
}
