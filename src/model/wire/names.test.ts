import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wireCallId, wireName } from './names.ts';

describe('names', () => {
  test('a name every vendor accepts stays, any other gets one that is accepted', () => {
    expect(wireName('read_file-2')).toBe('read_file-2');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(wireName(name)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      }),
    );
  });

  test('two names never meet, even if one is written like the name coined for the other', () => {
    const names = [
      'disk.free.now',
      'disk/free/now',
      'disk free now',
      'disk_free_now',
      'ärger',
      'x'.repeat(65),
      'x'.repeat(64),
    ];
    const coined = names.map(wireName);
    const all = [...names, ...coined.filter((name) => !names.includes(name))];
    expect(new Set(all.map(wireName)).size).toBe(all.length);
  });

  test('a taken or blank call id gets a new one', () => {
    expect(wireCallId('toolu_1', new Set())).toBe('toolu_1');
    expect(wireCallId('toolu_1', new Set(['toolu_1']))).not.toBe('toolu_1');
    expect(wireCallId('  ', new Set())).toMatch(/^[a-zA-Z0-9_-]+$/);
  });
});
