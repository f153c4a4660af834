import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceNames } from './service-names.ts';

const text = fc.string({ unit: 'binary', minLength: 1 });

test('every workflow has a service name that Restate takes, and it is found again', () => {
  fc.assert(
    fc.property(fc.option(text, { nil: undefined }), text, (namespace, workflow) => {
      const names = new ServiceNames(namespace);
      const service = names.of(workflow);
      expect(service).toMatch(/^[a-zA-Z][a-zA-Z0-9._-]*$/);
      expect(service).not.toMatch(/^(restate|openapi)/i);
      expect(names.workflow(service)).toBe(workflow);
    }),
  );
});

test('two workflows never share a service', () => {
  const place = fc.tuple(fc.option(text, { nil: undefined }), text);
  fc.assert(
    fc.property(place, place, ([namespaceA, a], [namespaceB, b]) => {
      fc.pre(namespaceA !== namespaceB || a !== b);
      expect(new ServiceNames(namespaceA).of(a)).not.toBe(new ServiceNames(namespaceB).of(b));
    }),
  );
});

test('a plain name stays as it is', () => {
  expect(new ServiceNames(undefined).of('my_agent-2')).toBe('my_agent-2');
  expect(new ServiceNames('desk').of('agent')).toBe('desk..agent');
});
