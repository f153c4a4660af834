import { expect, test } from 'vitest';
import { offlineContext } from '../../checks/offline.ts';
import type { Attempt, Observation } from '../../core/attempt.ts';
import type { Tool } from '../../tools/tool.ts';
import { searchParagraphs, supportingFacts } from './paragraph-search.ts';

const paragraphs = [
  { title: 'Velm (river)', sentences: ['The Velm is a river in Torland.', ' It ends in Lake Ona.'] },
  { title: 'Lake Ona', sentences: ['Lake Ona is 40 metres deep.', ' It freezes in winter.'] },
  { title: 'Torland', sentences: ['Torland is a country.', ' Its rivers end in lakes.'] },
];

async function search(tool: Tool, query: string, limit = 1): Promise<string> {
  const context = { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal };
  return String(await tool.run(tool.input.parse({ query, limit }), context));
}

test('the best paragraph comes back whole and under its title', async () => {
  const tool = searchParagraphs(paragraphs);
  expect(await search(tool, 'How deep is Lake Ona?')).toBe(
    'Lake Ona\nLake Ona is 40 metres deep. It freezes in winter.',
  );
  expect(await search(tool, 'Ona', 5)).toMatch(/^Lake Ona\n.*\n\nVelm \(river\)\n/);
});

test('a paragraph under the name that is sought comes before those that mention it', async () => {
  const mentions = { title: 'Boats', sentences: ['Ona is seen from a boat, and Ona is what it is called after.'] };
  const tool = searchParagraphs([
    mentions,
    { title: 'Ona', sentences: ['A town of many people in the north of a country.'] },
  ]);
  expect(await search(tool, 'Ona')).toMatch(/^Ona\n/);
});

test('a search that finds nothing shows the titles', async () => {
  expect(await search(searchParagraphs(paragraphs), 'xylophone')).toBe(
    'No paragraph fits "xylophone". The titles are: Velm (river); Lake Ona; Torland',
  );
});

function attemptThatRead(...contents: string[]): Attempt {
  const observations = contents.map((content, index): Observation => {
    const id = `obs-${index + 1}` as const;
    return { id, path: '', tool: 'searchParagraphs', args: {}, status: 'ok', content, trust: 'untrusted' };
  });
  const rest = { claims: [], reports: [], drafts: [], degraded: false, revisions: 0 };
  return { answer: '40 metres', observations, ended: { type: 'final' }, ...rest };
}

test('supporting facts count when a tool returned them, all for a pass', async () => {
  const facts = ['It ends in Lake Ona.', ' Lake Ona is 40 metres deep.'];
  const grader = supportingFacts((id) => (id === 't1' ? facts : []));
  const graded = (attempt: Attempt, id = 't1') =>
    grader.grade({ task: { id, input: 'x' }, answer: attempt.answer, attempt }, offlineContext());
  const velm = 'Velm (river)\nThe Velm is a river in Torland. It ends in Lake Ona.';
  expect(await graded(attemptThatRead(velm, 'Lake Ona\nLake Ona is 40 metres deep.'))).toMatchObject({
    pass: true,
    score: 1,
  });
  expect(await graded(attemptThatRead(velm))).toEqual({
    pass: false,
    score: 0.5,
    why: '1 of 2 supporting sentences were read; not: Lake Ona is 40 metres deep.',
  });
  expect(await graded(attemptThatRead())).toMatchObject({ pass: false, score: 0 });
  expect(await graded(attemptThatRead(velm), 'unknown')).toMatchObject({ pass: false, score: 0 });
});
