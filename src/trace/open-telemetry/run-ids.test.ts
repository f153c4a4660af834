import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idsOf, RunIdGenerator } from './run-ids.ts';

const traceId = /^(?!0{32})[0-9a-f]{32}$/;
const spanId = /^(?!0{16})[0-9a-f]{16}$/;

test('ids have the shape OpenTelemetry asks for, are the same every time, and differ by run and key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (run, one, other) => {
      const ids = idsOf(run, one);
      expect(ids.traceId).toMatch(traceId);
      expect(ids.spanId).toMatch(spanId);
      expect(idsOf(run, one)).toEqual(ids);
      expect(idsOf(run, other).traceId).toBe(ids.traceId);
      if (one !== other) expect(idsOf(run, other).spanId).not.toBe(ids.spanId);
      expect(idsOf(`${run}.`, one).traceId).not.toBe(ids.traceId);
    }),
  );
});

test('the generator gives the ids it was told for one span and random ones before and after, also when starting throws', () => {
  const generator = new RunIdGenerator();
  const ids = idsOf('r', 'k');
  const given = generator.with(ids, () => ({
    traceId: generator.generateTraceId(),
    spanId: generator.generateSpanId(),
  }));
  expect(given).toEqual(ids);
  const broken = (): never => {
    throw new Error('no');
  };
  expect(() => generator.with(ids, broken)).toThrow('no');
  expect(generator.generateTraceId()).toMatch(traceId);
  expect(generator.generateTraceId()).not.toBe(ids.traceId);
  expect(generator.generateSpanId()).not.toBe(generator.generateSpanId());
});
