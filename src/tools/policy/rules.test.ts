import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';
import { checkedPolicy } from './checked-policy.ts';
import { decide, type PolicyOptions } from './policy.ts';

const send = tool({
  name: 'http_send',
  description: 'Sends.',
  input: z.object({}),
  effect: 'write',
  run: () => '',
});

function verdict(options: PolicyOptions, args: unknown, used: Tool = send) {
  const provenance = { given: { task: '', notes: [] }, observations: [] };
  return decide(used, args, { policy: checkedPolicy(options), provenance }).action;
}

describe('rules', () => {
  it('are tried in order, before the tier', () => {
    const rules = [
      { action: 'deny', tool: 'http_send', args: { amount: { min: 100 } } },
      { action: 'allow', tool: 'http_*' },
    ] as const;
    expect(verdict({ rules }, { amount: 99 })).toBe('allow');
    expect(verdict({ rules }, { amount: 100 })).toBe('deny');
    expect(verdict({ rules }, {}, { ...send, name: 'mail' })).toBe('ask');
  });

  it.each([
    ['an exact text', { mode: 'dry' }, { mode: 'dry' }, true],
    ['a pattern', { path: 'docs/*.md' }, { path: 'docs/a/b.md' }, true],
    ['one character', { code: 'A?' }, { code: 'AB' }, true],
    ['a pattern that does not fit', { path: 'docs/*.md' }, { path: 'docs/a.md.exe' }, false],
    ['a nested place', { 'to[0].address': '*@ours.example' }, { to: [{ address: 'a@ours.example' }] }, true],
    [
      'a text that only begins alike',
      { 'to[0].address': '*@ours.example' },
      { to: [{ address: 'a@ours.example.net' }] },
      false,
    ],
    ['a boolean', { force: true }, { force: true }, true],
    ['a number for a text', { mode: '1' }, { mode: 1 }, false],
    ['a missing argument', { mode: '*' }, {}, false],
    ['a number within bounds', { sum: { min: 1, max: 2 } }, { sum: 2 }, true],
    ['a text where bounds are set', { sum: { max: 2 } }, { sum: '1' }, false],
    ['a member of the prototype', { constructor: '*' }, {}, false],
  ] as const)('match arguments: %s', (_, args, given, fits) => {
    expect(verdict({ rules: [{ action: 'allow', args }] }, given)).toBe(fits ? 'allow' : 'ask');
  });

  it('match in time that hostile text cannot stretch', () => {
    const began = Date.now();
    verdict({ rules: [{ action: 'deny', args: { text: '*a*a*a*a*a*a*b' } }] }, { text: 'a'.repeat(200_000) });
    expect(Date.now() - began).toBeLessThan(2_000);
  });

  it('by host see every URL of the arguments, in punycode', () => {
    const rules = [{ action: 'allow', host: 'example.com' }] as const;
    expect(verdict({ rules }, { url: 'https://EXAMPLE.com:8443/x' })).toBe('allow');
    // A Cyrillic letter makes it another host.
    expect(verdict({ rules }, { url: 'https://ex\u0430mple.com/x' })).toBe('ask');
    expect(verdict({ rules }, { url: 'https://example.com.evil.test/' })).toBe('ask');
    expect(verdict({ rules }, { url: 'https://example.com@evil.test/' })).toBe('ask');
    expect(
      verdict({ rules: [{ action: 'allow', host: 'b\u00fccher.example' }] }, { url: 'https://xn--bcher-kva.example' }),
    ).toBe('allow');
  });

  it('that allow must cover every host of a call, those that deny any', () => {
    const args = { urls: ['https://api.ours.example/a', 'see https://evil.test/b'] };
    expect(verdict({ rules: [{ action: 'allow', host: '*.ours.example' }] }, args)).toBe('ask');
    expect(verdict({ rules: [{ action: 'deny', host: 'evil.test' }] }, args)).toBe('deny');
    expect(verdict({ rules: [{ action: 'allow', host: '*' }] }, { text: 'no address' })).toBe('ask');
  });

  it('by path cover a folder with all below it and no sibling', () => {
    const rules = [{ action: 'deny', path: '/srv/secret' }] as const;
    const touching = (path: string) => ({ ...send, touches: () => ({ paths: [path] }) });
    expect(verdict({ rules }, {}, touching('/srv/secret/deep/key'))).toBe('deny');
    expect(verdict({ rules }, {}, touching('/srv/secret'))).toBe('deny');
    expect(verdict({ rules }, {}, touching('/srv/secrets'))).toBe('ask');
    expect(verdict({ rules: [{ action: 'allow', path: '/srv/*/out' }] }, {}, touching('/srv/a/out/x'))).toBe('allow');
    expect(verdict({ rules: [{ action: 'allow', path: '/srv/*/out' }] }, {}, touching('/srv/a/b/out'))).toBe('ask');
    expect(verdict({ rules: [{ action: 'allow', path: '/srv/**/out' }] }, {}, touching('/srv/a/b/out'))).toBe('allow');
  });

  it('by path see texts that look like paths where a tool does not say what it reaches', () => {
    const rules = [{ action: 'deny', path: '/etc' }] as const;
    for (const path of ['/etc/passwd', '/srv/../etc/passwd', 'file:///etc/passwd']) {
      expect(verdict({ rules }, { path })).toBe('deny');
    }
    expect(verdict({ rules }, { note: 'either/or' })).toBe('ask');
  });

  it('hold for reads too', () => {
    const read: Tool = { ...send, effect: 'read' };
    expect(verdict({ rules: [{ action: 'deny', host: '*' }] }, { url: 'http://a.test' }, read)).toBe('deny');
    expect(verdict({ read: 'ask' }, {}, read)).toBe('ask');
  });

  it.each([
    ['an unknown action', { rules: [{ action: 'permit' }] }, 'rules.0.action'],
    ['an unknown condition', { rules: [{ action: 'deny', hosts: 'a' }] }, 'hosts'],
    ['a URL for a host', { rules: [{ action: 'deny', host: 'https://a.test/x' }] }, 'is no host'],
    ['untrusted with deny', { rules: [{ action: 'deny', untrusted: 'allow' }] }, 'untrusted'],
    ['an unknown tier', { delete: 'deny' }, 'delete'],
  ])('are refused when they cannot work: %s', (_, options, message) => {
    expect(() => checkedPolicy(options as PolicyOptions)).toThrow(UsageError);
    expect(() => checkedPolicy(options as PolicyOptions)).toThrow(message);
  });
});
