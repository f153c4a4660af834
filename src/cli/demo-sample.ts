/** The bundled sample: a price desk with its documents, and the scripts that stand in for a model. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../core/errors.ts';
import { detectModel } from '../model/detect.ts';
import type { DemoLanguage } from './demo-texts.ts';
import { packageRoot } from './package-root.ts';
import { portableModelId } from './settings.ts';

const sample = fileURLToPath(new URL('examples/price-desk/', packageRoot()));

/** What one run of the sample may take. */
export const demoLimits = { modelCalls: 60, tokens: 120_000, ms: 300_000 } as const;

export function demoDocs(language: DemoLanguage): string {
  return `${sample}docs/${language}`;
}

export interface DemoModel {
  id: string;
  scripted: boolean;
}

/** The model that is named, else the one that is found, else the sample's script. */
export async function demoModel(explicit: string | undefined): Promise<DemoModel> {
  const { found } = await detectModel({ env: process.env, explicit });
  if (found) return { id: portableModelId(found.id), scripted: found.id.startsWith('script:') };
  return { id: `script:${demoScript('script.json')}`, scripted: true };
}

/** A script of the sample. Throws `UsageError` where the installation lacks it. */
export function demoScript(name: string): string {
  const script = sample + name;
  if (existsSync(script)) return script;
  throw new UsageError(
    `The sample script ${script} is missing from this installation. Install assay again, or name a model with --model.`,
  );
}
