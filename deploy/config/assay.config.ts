/** The agent that is served. It may import what is installed beside it: in /opt/assay, in the image and under systemd. */
import { calculator, defineAgent, planAndSolve, verification } from 'assay';

export default defineAgent({
  model: 'openai:gpt-5-mini',
  tools: [calculator()],
  layers: [verification({ refine: { rounds: 2 } }), planAndSolve()],
  budget: { modelCalls: 40, tokens: 100_000, ms: 300_000 },
});
