import type { Json } from '../core/json.ts';

/** Where two values differ, as a person would say it. `path` is written as in items[0].name. */
export interface Difference {
  path: string;
  expected: Json | undefined;
  actual: Json | undefined;
}

/**
 * The places where `actual` is not as `expected`. Unless `exact`, objects may have more keys than expected. Lists are
 * compared in order.
 */
export function differences(expected: Json, actual: Json | undefined, exact: boolean, path = ''): Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, place) => place).flatMap((place) =>
      member(expected[place], actual[place], exact, `${path}[${place}]`),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = exact ? new Set([...Object.keys(expected), ...Object.keys(actual)]) : Object.keys(expected);
    return [...keys].flatMap((key) =>
      member(own(expected, key), own(actual, key), exact, path === '' ? key : `${path}.${key}`),
    );
  }
  return Object.is(expected, actual) || (expected === 0 && actual === 0) ? [] : [{ path, expected, actual }];
}

/** One line: `order.status is "open", expected "shipped"`. */
export function differenceText({ path, expected, actual }: Difference): string {
  const place = path === '' ? 'the state' : path;
  if (actual === undefined) return `${place} is missing, expected ${shown(expected)}`;
  if (expected === undefined) return `${place} is ${shown(actual)}, expected nothing there`;
  return `${place} is ${shown(actual)}, expected ${shown(expected)}`;
}

function member(expected: Json | undefined, actual: Json | undefined, exact: boolean, path: string): Difference[] {
  if (expected === undefined) return actual === undefined ? [] : [{ path, expected, actual }];
  return differences(expected, actual, exact, path);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: { [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
