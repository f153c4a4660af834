import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietWarnings } from './quiet-warnings.ts';

const before = process.listeners('warning');
const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => printed.push(warning.message));
  quietWarnings();
});

afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of before) process.on('warning', listener);
});

function warn(name: string, message: string): void {
  process.emit('warning', Object.assign(new Error(message), { name }));
}

test('the two experiments we rely on are not told', () => {
  warn('ExperimentalWarning', 'SQLite is an experimental feature and might change at any time');
  warn('ExperimentalWarning', 'Type Stripping is an experimental feature and might change at any time');
  expect(printed).toEqual([]);
});

test('every other warning is', () => {
  warn('ExperimentalWarning', 'Something else is an experimental feature');
  warn('DeprecationWarning', 'SQLite is an experimental feature');
  expect(printed).toHaveLength(2);
});
