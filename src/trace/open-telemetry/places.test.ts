import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLeft, placesOf } from './places.ts';

const segment = fc.constantFrom(
  'trial-1',
  'trial-2',
  'samples/0',
  'samples/1',
  'samples#2/0',
  'step-1',
  'verify.answers/2',
);
const path = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('/'));

test('each level of a path is a place, and a branch is one with its number', () => {
  expect(placesOf('')).toEqual([]);
  expect(placesOf('trial-1/samples#2/3/verify.look-up')).toEqual([
    'trial-1',
    'trial-1/samples#2/3',
    'trial-1/samples#2/3/verify.look-up',
  ]);
});

test('the places of a path hold each other and end with the path', () => {
  fc.assert(
    fc.property(path, (whole) => {
      const places = placesOf(whole);
      expect(places.at(-1) ?? '').toBe(whole);
      for (const [index, place] of places.entries()) {
        const outer = places[index - 1];
        if (outer !== undefined) expect(place.startsWith(`${outer}/`)).toBe(true);
      }
    }),
  );
});

test('work leaves what came before it, and neither what is around it nor what runs beside it', () => {
  expect(isLeft('trial-1', 'trial-2')).toBe(true);
  expect(isLeft('trial-1', '')).toBe(true);
  expect(isLeft('trial-1/samples/0', 'trial-1')).toBe(true);
  expect(isLeft('samples/0', 'samples#2/0')).toBe(true);
  expect(isLeft('trial-1', 'trial-10')).toBe(true);
  expect(isLeft('trial-1', 'trial-1/samples/0')).toBe(false);
  expect(isLeft('samples/0', 'samples/1')).toBe(false);
  expect(isLeft('samples/0/step-1', 'samples/1/step-2')).toBe(false);
});

test('no place is left by work within it', () => {
  fc.assert(
    fc.property(path, path, (outer, inner) => {
      const within = [outer, inner].filter((part) => part !== '').join('/');
      for (const place of placesOf(within)) expect(isLeft(place, within)).toBe(false);
    }),
  );
});
