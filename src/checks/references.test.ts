import { describe, expect, it } from 'vitest';
import type { Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { offlineContext } from './offline.ts';
import { references } from './references.ts';

function page(id: Observation['id'], url: string, content: string): Observation {
  return { id, path: '', tool: 'fetchPage', args: { url }, status: 'ok', content, trust: 'untrusted' };
}

async function issuesOf(answer: string): Promise<Issue[]> {
  const attempt = attemptWith({
    answer,
    claims: ['a', 'b'].map((text) => ({ text, evidence: [] })),
    observations: [
      page('obs-1', 'https://one.example/1', 'Yearly Rent Report 2023\nRents rose by 4 %'),
      page('obs-2', 'https://two.example/2/', 'As noted in tenants.md, lines 3-9'),
    ],
  });
  const task = { input: 'Report on rents; see https://given.example/x', constraints: [], checks: [] };
  return references.run(attempt, task, offlineContext());
}

describe('a reference mark that leads nowhere', () => {
  it.each([
    ['to an invented URL', 'Rents rose [1][3].\n[1] https://one.example/1\n[3] https://made-up.example/rents', '[3]'],
    ['to no entry', 'Rents rose%[1]. They fell [4].\n\nReferences:\n1. https://one.example/1', '[4]'],
    ['to no entry, in a list of marks', 'Rents rose [1, 2].\n\n[1]: https://one.example/1\n', '[2]'],
    ['to no entry, in a range', 'Rents rose [1-3].\n[1] https://one.example/1\n[2] https://two.example/2', '[3]'],
    ['to an invented title', 'Rents rose[^1].\n\n[^1]: Roe, J. "A Title That Nobody Wrote", Journal of Air.', '[1]'],
    ['and there is no list', 'Rents rose [1]. They fell [7].', '[7]'],
    ['in Chinese brackets', '租金上涨【1】【2】。\n\n【1】https://one.example/1/\n【2】https://no.example/9', '[2]'],
    ['in a Chinese text', '租金上涨[3]。\n参考文献\n[1] https://one.example/1', '[3]'],
  ])('%s', async (_, answer, mark) => {
    const issues = await issuesOf(answer);
    expect(issues).toMatchObject([{ type: 'unsupported_claim', detail: expect.stringContaining(mark) }]);
  });

  it('is named with the sentence that rests on it, and an unused entry by itself', async () => {
    const [issue] = await issuesOf('All is well. Rents rose [1].\n[1] https://made-up.example/rents');
    expect(issue?.detail).toContain('("Rents rose")');
    expect(await issuesOf('Rents rose.\n[1] https://made-up.example/rents')).toHaveLength(1);
  });
});

describe('no fault is found in', () => {
  it.each([
    ['visited pages', 'Rents rose [1][2].\n[1] https://one.example/1\n[2] https://two.example/2?utm_medium=x#frag'],
    ['a title that was read', 'Rents rose [1].\n\n[1] "Yearly Rent Report 2023", Office of Rents.'],
    ['a file and a page of the task', 'Rents [1][2]\n\nSources:\n1. tenants.md, lines 3-9\n2. https://given.example/x'],
    ['a title in Chinese marks', '租金上涨[1]。\n参考文献\n[1] 《Yearly Rent Report 2023》'],
    ['an observation', 'Rents rose [1].\n[1] obs-1: the report'],
    ['marks that count the claims', 'Rents rose [1] and fell [2].'],
    ['sources without numbers', 'Rents rose [1].\n\n## Sources\n- https://one.example/1'],
    ['code', 'Use `a[3]` and xs[12]:\n```js\nconst x = [5][0];\n```'],
    ['lists and intervals', 'It returns [5]; the interval [0, 1]; sorted: [1], then [9]?'],
    ['links and tasks', 'See [2](https://one.example/1).\n- [x] done\n1. First\n2. Second'],
  ])('%s', async (_, answer) => {
    expect(await issuesOf(answer)).toEqual([]);
  });
});
