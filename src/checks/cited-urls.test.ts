import { describe, expect, it } from 'vitest';
import type { Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { citedUrls, urlsIn } from './cited-urls.ts';
import { offlineContext } from './offline.ts';

function visit(id: Observation['id'], args: unknown, status: Observation['status'] = 'ok'): Observation {
  return {
    id,
    path: '',
    tool: 'fetch-page',
    args,
    status,
    content: 'See https://listed.example/page',
    trust: 'untrusted',
  };
}

async function issuesOf(answer: string, claim = 'no address'): Promise<Issue[]> {
  const attempt = attemptWith({
    answer,
    claims: [{ text: claim, evidence: [] }],
    observations: [
      visit('obs-1', { url: 'https://News.example:443/Story/' }),
      visit('obs-2', { urls: ['https://shop.example/p?id=7#top'] }),
      visit('obs-3', { url: 'https://down.example/' }, 'error'),
    ],
  });
  const task = { input: 'Summarise https://given.example/a.', constraints: [], checks: [] };
  return citedUrls.run(attempt, task, offlineContext());
}

describe('cited URLs', () => {
  it.each([
    'https://news.example/Story',
    'https://news.example/Story/#part',
    'HTTPS://NEWS.example/Story',
    'https://shop.example/p?id=7',
    'https://shop.example/p/?id=7',
    'https://news.example/Story?utm_source=a&UTM_Medium=b&gclid=c',
    'https://shop.example/p/?utm_campaign=a&id=7#x',
    'https://given.example/a',
    'see [it](https://news.example/Story), <https://given.example/a>.',
    'nothing at all',
    '```\nfetch("https://api.example/v1")\n```',
  ])('accepts %j', async (answer) => {
    expect(await issuesOf(answer)).toEqual([]);
  });

  it.each([
    ['never visited', 'https://invented.example/x'],
    ['another path', 'https://news.example/story'],
    ['another query', 'https://shop.example/p?id=8'],
    ['another parameter beside a tracking one', 'https://news.example/Story?utm_source=a&page=2'],
    ['a failed visit', 'https://down.example/'],
    ['only listed in a result', 'https://listed.example/page'],
    ['a look-alike host', 'https://nеws.example/Story'],
  ])('rejects %s', async (_, url) => {
    expect(await issuesOf(`Source: ${url}`)).toMatchObject([
      { type: 'unsupported_claim', detail: expect.stringContaining(url) },
    ]);
  });

  it('names each invented page once, with the claim it stands in', async () => {
    const issues = await issuesOf(
      'https://bad.example/1 https://bad.example/1# https://bad.example/2',
      'https://bad.example/1',
    );
    expect(issues).toHaveLength(2);
    expect(issues[0]).toMatchObject({ claim: 'https://bad.example/1' });
  });
});

describe('the URLs of a text', () => {
  it.each([
    ['[a](https://q.example/w_(z)) and (https://q.example/b)', ['https://q.example/w_(z)', 'https://q.example/b']],
    ['[https://q.example/c](https://q.example/c)', ['https://q.example/c', 'https://q.example/c']],
    ['**https://q.example/d**, https://q.example/e.', ['https://q.example/d', 'https://q.example/e']],
    ['见https://q.example/f。还有（https://q.example/g）', ['https://q.example/f', 'https://q.example/g']],
    [
      '"https://q.example/h" | https://q.example/i?x=[1]&y=2 |',
      ['https://q.example/h', 'https://q.example/i?x=[1]&y=2'],
    ],
    [
      '[1]: https://q.example/j [10.1/k](https://doi.example/10.1/k)',
      ['https://q.example/j', 'https://doi.example/10.1/k'],
    ],
    ['https:// and http://. and ftp://q.example', []],
  ])('%s', (text, urls) => {
    expect(urlsIn(text)).toEqual(urls);
  });
});
