/**
 * The price desk as a library user would write it. The model is scripted; put the id of a real one in its place. In a project of
 * your own the import is `from 'assay'`.
 */
import { fileURLToPath } from 'node:url';
import {
  calculator,
  defineAgent,
  inMemoryLessons,
  lessons,
  planAndSolve,
  searchDocs,
  verification,
} from '../../src/index.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const agent = defineAgent({
  model: `script:${here('script.json')}`,
  tools: [calculator(), searchDocs(here('docs/en'))],
  layers: [lessons({ store: inMemoryLessons() }), verification(), planAndSolve()],
});

const run = agent.run('SKU-42, 37 units at ten percent off: what is the total?');
for await (const event of run) {
  if (event.type === 'verify.report')
    console.log(event.report.verdict, event.report.issues.map((issue) => issue.detail).join());
}
const result = await run;
console.log(`${result.status}: ${result.answer}`);
