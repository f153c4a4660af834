import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { message, repairs, value } from '../testing/read-json.ts';
import { isGuess, parseJson, parseSeries } from './parse.ts';

describe('strict JSON', () => {
  it.each(['{"a":[1,-2.5e3,true,null,"x"]}', '"text"', '0', '-0.5', 'null', ' [ ] ', '\n{ }\t'])(
    'takes %j as it is',
    (text) => {
      expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text), repairs: [] });
    },
  );

  it('wins over fences, comments, quotes and brackets inside its strings', () => {
    const answer = "Run\n```sh\nnpm t // don't\n```\nthen [1] or {x} or '}' or „so\" ,] /* no */";
    expect(parseJson(JSON.stringify({ answer }))).toEqual({ ok: true, value: { answer }, repairs: [] });
  });

  it('takes a string that holds JSON as a string', () => {
    expect(value(JSON.stringify('{"a":1}'))).toBe('{"a":1}');
  });

  it('gives back every value that was written as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, undefined, indent);
        if (/__proto__|\\ud|\d{16}/i.test(text)) return;
        // Compared as text: JSON has no -0.
        expect(JSON.stringify(value(text))).toBe(JSON.stringify(json));
        expect(repairs(text)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('keys', () => {
  it('are read as written, whatever was read before', () => {
    // JSON.parse of Node 24.21 answers the second text with the keys of the first.
    parseJson('{"`":0,"\\\\":0,"":0}');
    expect(value('{"`":0,"\\n":0,"":0}')).toEqual({ '`': 0, '\n': 0, '': 0 });
  });
});

describe('packaging', () => {
  const object = { tool: 'dial', note: 'a } b' };
  const text = JSON.stringify(object);

  it.each([
    `\`\`\`json\n${text}\n\`\`\``,
    `\`\`\`\n${text}\n\`\`\`\n`,
    `\`\`\`json ${text}\`\`\``,
    `~~~json\n${text}\n~~~`,
    `\`\`\`json\n${text}`,
  ])('takes one value out of a fence: %j', (fenced) => {
    expect(parseJson(fenced)).toEqual({ ok: true, value: object, repairs: ['fence'] });
  });

  it('takes a bare value out of a fence', () => {
    expect(parseJson('```json\n"eleven"\n```')).toEqual({ ok: true, value: 'eleven', repairs: ['fence'] });
    expect(value('```\n12\n```')).toBe(12);
  });

  it.each([
    `Here you are: ${text}`,
    `Of the sets {a, b} and [x] I take\n${text}.`,
    `As [1] and [2, 3] say: ${text} [4]`,
    `The empty {} and [] aside: ${text}`,
    `One would send \`${text}\` to dial`,
    `${text}}`,
  ])('takes the first balanced value out of a sentence, which is a guess: %j', (prose) => {
    expect(parseJson(prose)).toEqual({ ok: true, value: object, repairs: expect.arrayContaining(['in-sentence']) });
    expect(isGuess(repairs(prose) ?? [])).toBe(true);
  });

  it.each([`${text}\n\nAs shown in [2], and (see {remarks}) :-}`, `I will dial.\n  ${text} \n`])(
    'is sure of a value on lines of its own: %j',
    (prose) => {
      expect(parseJson(prose)).toEqual({ ok: true, value: object, repairs: ['prose'] });
      expect(isGuess(['prose'])).toBe(false);
    },
  );

  it('takes a citation when there is nothing better', () => {
    expect(value('the numbers are [4, 8]')).toEqual([4, 8]);
  });

  it('names a fence with prose around it', () => {
    expect(repairs(`So:\n\`\`\`json\n${text}\n\`\`\`\nDone.`)).toEqual(['fence', 'prose']);
  });

  it('keeps to the first of several values and says so', () => {
    const parsed = parseJson('{"do":"count"}\nResult: 7\n{"do":"answer","text":"7"}');
    expect(parsed).toEqual({ ok: true, value: { do: 'count' }, repairs: ['prose', 'first-of-several'] });
    expect(isGuess(['prose', 'first-of-several'])).toBe(true);
  });

  it('passes over a value that is only spoken of in inline code before a fence', () => {
    expect(value('The form `{"tool": <name>}` filled in:\n```json\n{"tool":"dial"}\n```')).toEqual({ tool: 'dial' });
    expect(value('Like `{"tool":"x"}`:\n```json\n{"tool":"dial"}\n```')).toEqual({ tool: 'dial' });
  });

  it.each([
    '',
    '  \n',
    'I stop here. } done',
    'see {this} or [that]',
    '"quoted" words',
    'True',
    '“so”',
    '```sh\nls\n```',
  ])('says without a position that %j holds no JSON', (prose) => {
    expect(message(prose)).toBe('no JSON value was found in the text');
  });
});

describe('values', () => {
  it('joins escaped surrogates and replaces lone ones, in keys too', () => {
    expect(parseJson('{"a":"\\ud83d\\udef6"}')).toEqual({ ok: true, value: { a: '🛶' }, repairs: [] });
    expect(parseJson('{"\\ud83d":"x \\udef6"}')).toEqual({
      ok: true,
      value: { '\ufffd': 'x \ufffd' },
      repairs: ['lone-surrogate'],
    });
    expect(value('{"a":"\\ud83d\\udef6 \ud83d",}')).toEqual({ a: '🛶 \ufffd' });
  });

  it('keeps numbers that a double cannot hold as their digits', () => {
    expect(parseJson('{"id":9007199254740995,"low":-9007199254740994.0,"far":1e999}')).toEqual({
      ok: true,
      value: { id: '9007199254740995', low: '-9007199254740994', far: '1e999' },
      repairs: ['big-number'],
    });
    expect(value('[9007199254740991, 1e20, 0.1]')).toEqual([9007199254740991, 1e20, 0.1]);
  });

  it('never rounds an integer', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        expect(String(value(String(integer)))).toBe(String(integer));
      }),
    );
  });

  it.each([
    '{"__proto__":{"admin":true},"b":1}',
    "{'__proto__':{'admin':true},'b':1}",
    '{"\\u005f_proto__":{},"b":1}',
    '{"b":1,"constructor":{"prototype":{"admin":true}}}',
    "{'constructor':{'name':'x','prototype':{'admin':true}},'b':1,}",
  ])('leaves a key out that reaches for a prototype: %j', (text) => {
    const parsed = value(text);
    expect(parsed).toEqual({ b: 1 });
    expect(Object.assign({}, parsed)).not.toHaveProperty('admin');
    expect(repairs(text)).toContain('proto-key');
    expect({}).not.toHaveProperty('admin');
  });

  it('keeps a constructor that is one of a thing', () => {
    expect(value('{"constructor":"Ferrari","of":{"constructor":{"prototypes":3}}}')).toEqual({
      constructor: 'Ferrari',
      of: { constructor: { prototypes: 3 } },
    });
  });

  it('refuses values nested too deep to be walked', () => {
    expect(message(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toContain('nested');
    expect(parseJson(`${'['.repeat(150)}${']'.repeat(150)}`).ok).toBe(true);
  });
});

describe('parseSeries', () => {
  it('reads complete objects glued together, with or without white space', () => {
    expect(parseSeries('{"n":1}{"n":2}\n {"n":"}{"}')).toEqual([{ n: 1 }, { n: 2 }, { n: '}{' }]);
    expect(parseSeries('{"n":1}')).toEqual([{ n: 1 }]);
  });

  it.each([
    '',
    '{"n":1},{"n":2}',
    '{"n":1} and {"n":2}',
    '{"n":1}{"n":',
    '{"n":1,}{"n":2}',
    '[1]{"n":2}',
    '{"__proto__":1}{}',
  ])('refuses whatever would lose something: %j', (text) => {
    expect(parseSeries(text)).toBeUndefined();
  });

  it('gives back what was glued', () => {
    const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
        fc.pre(objects.every((item) => !Object.hasOwn(item, '__proto__')));
        expect(parseSeries(objects.map((item) => JSON.stringify(item)).join(''))).toEqual(objects);
      }),
    );
  });
});

describe('hostile text of a megabyte', () => {
  const units = [
    '{',
    '[',
    '"',
    "'",
    '{"',
    '{"a":"',
    '{}',
    '[1]',
    '`{"a`',
    '`{/*',
    '[[1,',
    '{“',
    '\\',
    '/*',
    '[//',
    '{"a":1}',
    '"}',
    ' ',
  ];

  it.each(units)('is read in linear time: %j', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const from = performance.now();
    parseJson(text);
    parseJson(`x ${text}\n\`\`\``);
    parseSeries(text);
    expect(performance.now() - from).toBeLessThan(3000);
  });
});
