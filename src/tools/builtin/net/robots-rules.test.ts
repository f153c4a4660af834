import { describe, expect, it } from 'vitest';
import { FetchError } from './page-url.ts';
import { RobotsRules } from './robots-rules.ts';

const signal = new AbortController().signal;

function isAllowed(robots: string, path: string, userAgent = 'Assay/1.0 (x)'): Promise<boolean> {
  const rules = new RobotsRules(userAgent, async () => robots);
  return rules.check(new URL(path, 'https://site.example'), signal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof FetchError) return false;
      throw error;
    },
  );
}

describe('RobotsRules', () => {
  it('joins the groups of one name, and names that share a group', async () => {
    const robots =
      'User-agent: other\nUSER-AGENT: assay # us\n Disallow : /a\n\nUser-agent: *\nDisallow: /\n\nuser-agent: Assay\ndisallow: /b';
    expect(await isAllowed(robots, '/a/x')).toBe(false);
    expect(await isAllowed(robots, '/b')).toBe(false);
    expect(await isAllowed(robots, '/c')).toBe(true);
    expect(await isAllowed(robots, '/c', 'Someone')).toBe(false);
    expect(await isAllowed('User-agent: assay\nUser-agent: *\nCrawl-delay: 5\n', '/')).toBe(true);
  });

  it('lets the longest rule win, with wildcards and end marks', async () => {
    const robots = 'User-agent: *\nDisallow: /*.pdf$\nDisallow: /x\nAllow: /x/y\nDisallow: /*?id=';
    const allowed = ['/a.pdfx', '/x/y/z', '/q?x=1', '/robots.txt'];
    for (const path of allowed) expect(await isAllowed(robots, path), path).toBe(true);
    for (const path of ['/a.pdf', '/x/z', '/q?id=1']) expect(await isAllowed(robots, path), path).toBe(false);
    expect(await isAllowed('User-agent: *\nDisallow: /', '/robots.txt')).toBe(true);
  });

  it('is not held up by a file that is made for it', async () => {
    const names = `${Array.from({ length: 20_000 }, (_, index) => `user-agent: n${index}`).join('\n')}\nuser-agent: *\n`;
    const began = performance.now();
    expect(await isAllowed(names + 'allow: /y\n'.repeat(20_000), '/x')).toBe(true);
    expect(await isAllowed('user-agent: *\n'.repeat(10_000) + 'allow: /y\n'.repeat(20_000), '/x')).toBe(true);
    expect(
      await isAllowed(`user-agent: *\n${`disallow: /${'*a'.repeat(200)}b\n`.repeat(1_000)}`, `/${'a'.repeat(4_000)}`),
    ).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('asks again after a failure but not after an answer', async () => {
    const answers = ['fail', 'User-agent: *\nDisallow: /a'];
    let asked = 0;
    const rules = new RobotsRules('Assay/1', async () => {
      const answer = answers[asked++] ?? '';
      if (answer === 'fail') throw new FetchError('down', { status: 500 });
      return answer;
    });
    const url = new URL('https://site.example/b');
    await expect(rules.check(url, signal)).rejects.toThrow('down (without a readable robots.txt');
    for (let call = 0; call < 3; call++) await rules.check(url, signal);
    expect(asked).toBe(2);
  });
});
