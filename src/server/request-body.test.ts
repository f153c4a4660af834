import fc from 'fast-check';
import { expect, test } from 'vitest';
import { depthOf } from './request-body.ts';

test('the depth of a JSON text is that of its value, whatever stands in its strings', () => {
  const depth = (value: unknown): number =>
    value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
      expect(depthOf(JSON.stringify(value, undefined, indent))).toBe(depth(value));
    }),
  );
  expect(depthOf('"\\"[[[["')).toBe(0);
});
