import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryTokens, tokens } from './tokens.ts';

describe('tokens', () => {
  it('lower-cases words and takes their accents away', () => {
    expect(tokens('Opening HOURS, Café Zürich')).toEqual(['opening', 'hours', 'cafe', 'zurich']);
  });

  it('finds an identifier whole, without its marks and by its parts', () => {
    expect(tokens('KB-7')).toEqual(['kb-7', 'kb7', 'kb', '7']);
    expect(tokens('openFile')).toEqual(['openfile', 'open', 'file']);
    expect(tokens('docs/api_v2.md')).toEqual(expect.arrayContaining(['docs/api_v2.md', 'docs', 'api', 'v2', 'md']));
  });

  it('finds an identifier inside a path, an address or a key, and between commas', () => {
    for (const text of ['items/KB-7', 'code:KB-7', 'x@KB-7', 'KB-7,Lark,4', 'KB-7,300', '4,KB-7', "KB-7's"]) {
      expect(tokens(text), text).toContain('kb-7');
    }
  });

  it('reads a number the same with and without thousands separators', () => {
    expect(tokens('12,500.75 m')).toContain('12500.75');
    expect(tokens('12500.75')).toEqual(['12500.75']);
    expect(tokens('7,250')).toEqual(['7250', '7', '250']);
    expect(tokens('1,2,3')).toEqual(['1', '2', '3']);
  });

  it('finds Chinese by words and by neighbouring characters, next to other scripts', () => {
    const found = tokens('订购KB-7满二十件八五折');
    expect(found).toEqual(expect.arrayContaining(['订购', 'kb-7', '二十', '十件', '八五', '五折']));
    expect(found).not.toContain('购kb');
  });

  it('finds Japanese, Korean and Thai by neighbouring characters', () => {
    expect(tokens('送料無料')).toContain('無料');
    expect(tokens('배송료')).toContain('송료');
    expect(tokens('ค่าส่ง').length).toBeGreaterThan(0);
  });

  it('treats full-width and half-width characters alike', () => {
    expect(tokens('ＫＢ－７')).toEqual(tokens('KB-7'));
  });

  it('never throws and gives no empty term', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(tokens(text).every((token) => token.length > 0)).toBe(true);
      }),
    );
  });
});

describe('queryTokens', () => {
  it('leaves out words that say nothing, unless there are no others', () => {
    expect(queryTokens('What is the deposit for a boat?')).toEqual(['deposit', 'boat']);
    expect(queryTokens('押金是多少')).toEqual(expect.arrayContaining(['押金']));
    expect(queryTokens('押金是多少')).not.toContain('是');
    expect(queryTokens('what is it')).toEqual(['what', 'is', 'it']);
  });
});
