import { expect, test } from 'vitest';
import { CancelledError, StateError, UsageError } from '../core/errors.ts';
import { debugText, explainError } from './report-error.ts';

test('wrong usage is 2, broken state 1, and both keep their own words', () => {
  expect(explainError(new UsageError('the folder x does not exist: create it'))).toEqual({
    exitCode: 2,
    kind: 'usage',
    message: 'The folder x does not exist: create it.',
  });
  expect(explainError(new StateError('Run r is locked.'))).toMatchObject({ exitCode: 1, kind: 'state' });
});

test('Ctrl-C is no failure', () => {
  expect(explainError(new CancelledError('Interrupted.'))).toEqual({
    exitCode: 130,
    kind: 'interrupted',
    message: 'Interrupted.',
  });
});

test('an id at the start of a message keeps its letters', () => {
  expect(explainError(new UsageError('openai:x needs a key')).message).toBe('openai:x needs a key.');
});

test('a full disk is told with the remedy', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(explainError(error)).toMatchObject({ exitCode: 1, kind: 'state' });
  expect(explainError(error).message).toMatch(/free some space/);
});

test('anything else is called a fault of ours', () => {
  expect(explainError(new TypeError('x is undefined'))).toMatchObject({ exitCode: 1, kind: 'internal' });
  expect(explainError('thrown text').message).toMatch(/thrown text.*ASSAY_DEBUG=1/i);
});

test('a message from outside cannot act on the terminal', () => {
  expect(explainError(new UsageError('bad \x1b[2Jname\u202e')).message).toBe('Bad name.');
});

test('the stack is shown on request only', () => {
  const error = new Error('outer', { cause: new Error('inner') });
  expect(debugText(error, {})).toBeUndefined();
  expect(debugText(error, { ASSAY_DEBUG: '1' })).toMatch(/outer[\s\S]*Caused by: Error: inner/);
});
