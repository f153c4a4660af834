/** One process from its start to the first answer of the tiny model; prints what each part took. `node cold-start.ts FILE.gguf` */
import { userMessage } from '../../src/core/transcript.ts';
import { LlamaEngine } from '../../src/model/local/llama-engine.ts';
import { localModel } from '../../src/model/local/local-model.ts';
import { loadLlamaRuntime } from '../../src/model/local/runtime.ts';
import { timed } from '../measure.ts';
import { tinySettings } from './tiny-settings.ts';

const [file = ''] = process.argv.slice(2);
const importing = await timed(() => loadLlamaRuntime({}));
const engine = new LlamaEngine(tinySettings(file));
const model = localModel(engine, { modelId: 'tiny' });
const request = { prompt: [userMessage('Hi')] };
// The first call loads the file, the second is what any call costs.
const first = await timed(async () => await model.doGenerate(request));
const second = await timed(async () => await model.doGenerate(request));
console.log(JSON.stringify({ importing, loading: first - second, rss: process.memoryUsage.rss() }));
