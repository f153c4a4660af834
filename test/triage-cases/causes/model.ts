import type { FaultName } from '../../../src/core/attempt.ts';
import type { Cause, KnownCause } from '../case.ts';
import { modelCall } from '../trace.ts';

function endsIn(fault: FaultName, detail: string): Cause {
  return (world, trace) => {
    if (world.draws.happens(0.6)) trace.observe(world.tool, world.query, world.table(world.draws.some(world.rows, 3)));
    return { run: trace.end({ ended: { type: 'fault', fault, detail } }) };
  };
}

export const modelCauses: Record<string, KnownCause> = {
  'says-nothing': { make: endsIn('empty-response', 'the model returned 3 empty replies in a row') },
  refuses: { make: endsIn('refused', 'I cannot help with that request.') },
  'breaks-off': { make: endsIn('truncated', 'the reply was cut by the output limit') },
  'no-usable-answer': { make: endsIn('invalid-answer', 'the answer is empty') },
  'context-too-long': {
    make: (world, trace) => {
      trace.observe(world.tool, world.query, world.table(world.rows));
      const detail =
        'The request is longer than the model accepts (400): "maximum context length is 8192 tokens". Use a model with a larger context, fewer or shorter documents, or fewer steps.';
      trace.emit(modelCall('error', detail));
      return { run: trace.end({ ended: { type: 'fault', fault: 'model-error', detail } }) };
    },
  },
  'content-filter': {
    make: (_, trace) => {
      const detail =
        'The content filter of the provider refused the request (400). Rephrase the task, or use another model.';
      trace.emit(modelCall('error', detail));
      return { run: trace.end({ ended: { type: 'fault', fault: 'model-error', detail } }) };
    },
  },
  'malformed-actions': {
    make: (world, trace) => {
      if (world.draws.happens(0.5)) trace.observe(world.tool, world.query, world.table([world.other]));
      for (let turn = 0; turn < 5; turn++)
        trace.turn().emit({ type: 'turn.invalid', why: 'Nothing was done: the JSON is not an action.' });
      const ended = {
        type: 'fault' as const,
        fault: 'too-many-faults' as const,
        detail: '5 calls or turns were refused',
      };
      return { run: trace.end({ ended }) };
    },
    without: ['faults'],
  },
  'invents-tools': {
    make: (world, trace) => {
      const names = world.draws.some(['register_search', 'getStock', 'wiki', 'ask_expert', 'browse'], 4);
      for (const name of names) trace.refused(name, `there is no tool "${name}"; available: ${world.tool}, calculator`);
      if (world.draws.happens(0.5))
        trace.refused('browse', `there is no tool "browse"; available: ${world.tool}, calculator`);
      if (world.draws.happens(0.3))
        return { run: trace.end({ answer: world.zh ? '没有可用的工具。' : 'No tool works.' }) };
      const ended = {
        type: 'fault' as const,
        fault: 'too-many-faults' as const,
        detail: '5 calls or turns were refused',
      };
      return { run: trace.end({ ended }) };
    },
    without: ['faults'],
  },
};
