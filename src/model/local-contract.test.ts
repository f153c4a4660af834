import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { languageModelContract } from '../testing/language-model-contract.ts';
import { whyNoLlama } from '../testing/llama-missing.ts';
import { writeTinyModel } from '../testing/tiny-model.ts';
import { LlamaEngine } from './local/llama-engine.ts';
import { localModel } from './local/local-model.ts';

/** The embedded model keeps to the contract that the vendors' adapters keep to. */

const missing = await whyNoLlama();

if (missing)
  describe.skip(`language model contract: local:tiny (skipped: ${missing})`, () => test('nothing', () => {}));
else {
  const folder = mkdtempSync(join(tmpdir(), 'assay-local-contract-'));
  const file = join(folder, 'tiny.gguf');
  writeTinyModel(file);
  const engine = new LlamaEngine({ file, modelId: 'tiny', threads: 1, gpu: false, contextTokens: 4_096 });
  const model = localModel(engine, { modelId: 'tiny' });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  languageModelContract('local:tiny', {
    open: async () => ({ model }),
    longPrompt: [userMessage('bolt '.repeat(5_000))],
    skips: {
      'two-calls': 'the tiny model calls one tool a turn',
      slow: 'it answers in milliseconds; its own suite stops it in the middle',
    },
  });
}
