import type { Attributes, Meter } from '@opentelemetry/api';
import { type EventOf, errorOf, providerAttributes, type Vocabulary } from './attributes.ts';

/** The boundaries the conventions give for durations in seconds and for tokens. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
const runSeconds = [0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500];

/** Records what the events of a run say in numbers. */
export interface RunMetrics {
  chat(event: EventOf<'model.call'>): void;
  tool(event: EventOf<'tool.result' | 'tool.refused'>): void;
  run(event: EventOf<'run.end'>): void;
}

export function runMetrics(meter: Meter, words: Vocabulary): RunMetrics {
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'GenAI operation duration.',
    advice: { explicitBucketBoundaries: seconds },
  });
  const usage = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    advice: { explicitBucketBoundaries: tokens },
  });
  const runDuration = meter.createHistogram('assay.run.duration', {
    unit: 's',
    description: 'Active time of a run, without waiting for a human.',
    advice: { explicitBucketBoundaries: runSeconds },
  });
  const runs = meter.createCounter('assay.runs', { unit: '{run}', description: 'Runs that ended, by status.' });
  const calls = meter.createCounter('assay.tool.calls', { unit: '{call}', description: 'Tool calls by outcome.' });
  const cost = meter.createCounter('assay.cost.usd', {
    unit: 'USD',
    description: 'Cost of the model calls with a price.',
  });
  return {
    chat(event) {
      const about = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': event.model,
        ...providerAttributes(event.model, event.provider, words),
      };
      const error =
        event.outcome === 'reply' ? {} : { 'error.type': event.outcome === 'refused' ? 'timeout' : 'model_error' };
      duration.record(event.ms / 1000, { ...about, ...error });
      // The conventions forbid a guess.
      if (event.outcome === 'reply' && event.usage.estimatedCalls === 0) {
        usage.record(event.usage.inputTokens, { ...about, 'gen_ai.token.type': 'input' });
        usage.record(event.usage.outputTokens, { ...about, 'gen_ai.token.type': 'output' });
      }
      if (event.usage.usd > 0) cost.add(event.usage.usd, about);
    },
    tool: (event) => calls.add(1, toolOutcome(event)),
    run(event) {
      const about = { 'gen_ai.agent.name': words.agentName, 'assay.run.status': event.status };
      runs.add(1, about);
      runDuration.record(event.activeMs / 1000, { ...about, ...errorOf(event.status) });
    },
  };
}

function toolOutcome(event: EventOf<'tool.result' | 'tool.refused'>): Attributes {
  if (event.type === 'tool.result')
    return { 'gen_ai.tool.name': event.tool, 'assay.tool.outcome': event.limited ? 'limited' : event.status };
  // The name of no tool is a text of the model, and there are as many as it invents.
  return {
    ...(event.cause !== 'invalid' && { 'gen_ai.tool.name': event.tool }),
    'assay.tool.outcome': `refused_${event.cause}`,
  };
}
