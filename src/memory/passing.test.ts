import { describe, expect, test } from 'vitest';
import { freight } from '../testing/lesson-contract-fixture.ts';
import { forbidsTool, isPassing, namesTool } from './passing.ts';

describe('forbidsTool', () => {
  const forbids = (lesson: string, avoid = '', tool = 'searchDocs') => forbidsTool({ ...freight, lesson, avoid }, tool);

  test.each([
    ['Never use searchDocs'],
    ['Answer from memory; do not use the search_docs tool any more'],
    ['The tool searchDocs is empty, never use it'],
    ['Stop calling search docs, read the folder'],
    ['不要再使用searchDocs工具，直接读文件夹'],
  ])('%s', (lesson) => {
    expect(forbids(lesson)).toBe(true);
  });

  test('also by what it warns of', () => {
    expect(forbids('Read the folder', 'Using searchDocs')).toBe(true);
    expect(forbids('Read the folder', 'Using searchDocs for sums')).toBe(false);
  });

  test.each([
    ['Never use searchDocs for sums'],
    ['Do not use searchDocs before reading the index'],
    ['Use searchDocs with two words'],
    ['Never use the calculator'],
    ['Never use research'],
  ])('not: %s', (lesson) => {
    expect(forbids(lesson)).toBe(false);
  });
});

test('a tool is named in any spelling, but not inside another word', () => {
  expect(namesTool('call fetch_page twice', 'fetchPage')).toBe(true);
  expect(namesTool('the research on search', 'search')).toBe(true);
  expect(namesTool('the research', 'search')).toBe(false);
});

test('outages, forbidden tools and bound facts pass; a way of working does not', () => {
  expect(isPassing(freight)).toBe(false);
  expect(isPassing({ ...freight, failurePattern: 'the tariff service timed out' })).toBe(true);
  expect(isPassing({ ...freight, lesson: 'Never use scales', applies: { tools: ['scales'] } })).toBe(true);
  expect(isPassing({ ...freight, trigger: 'tariff of order #48213' })).toBe(true);
});
