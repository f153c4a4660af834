import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { prepareArguments, splitArguments } from './arguments.ts';

/** The arguments of an accepted call; a refusal fails the test with its message. */
function accepted(input: unknown, schema: z.ZodType): unknown {
  const prepared = prepareArguments(JSON.stringify(input), schema);
  return prepared.ok ? prepared.args : prepared.message;
}

function refusal(input: unknown, schema: z.ZodType): string {
  const prepared = prepareArguments(typeof input === 'string' ? input : JSON.stringify(input), schema);
  return prepared.ok ? `accepted as ${JSON.stringify(prepared.args)}` : prepared.message;
}

const page = z.object({ file: z.string(), from: z.int().optional(), lines: z.int().min(1).optional() });

describe('reading', () => {
  it.each([undefined, '', '  ', '{}', 'null', ' null\n'])('takes %j for no arguments', (input) => {
    const schema = z.object({ depth: z.int().optional(), unit: z.string().default('m') });
    expect(prepareArguments(input, schema)).toEqual({ ok: true, args: { unit: 'm' }, coercions: [], guessed: false });
    const missing = prepareArguments(input, page);
    expect(missing.ok || missing.message).toContain('file: this field is missing');
  });

  it('returns the validated value, with defaults and transformations', () => {
    const schema = z.object({ name: z.string().transform((name) => name.trim()), size: z.number().default(3) });
    expect(accepted({ name: ' oak ' }, schema)).toEqual({ name: 'oak', size: 3 });
  });

  it('names the position and the expected fields when the text is malformed', () => {
    const schema = z.object({ mode: z.enum(['open', 'shut']), port: z.int().optional() });
    const message = refusal('{"mode": opn"}', schema);
    expect(message).toContain('position 9');
    expect(message).toContain('{ mode: "open" | "shut", port?: integer }');
    expect(message).not.toMatch(/end in the middle|smaller|cut/);
  });

  it('says that the arguments were cut when they were', () => {
    expect(refusal('{"file":"b.md","text":"It was a dark and', page)).toBe(
      'the arguments end in the middle of the string that began at position 22; send a smaller payload',
    );
    expect(refusal('{"file":"b.md"', page)).toContain('the object that began at position 0; send a smaller payload');
  });

  it.each(['file = a', 'None', '{"file":"a}', '{"file":"a "b" c"}', '{file}'])('never takes %j for {}', (input) => {
    const prepared = prepareArguments(input, z.looseObject({}));
    expect(prepared.ok).toBe(false);
  });

  it('flags a guessed reading, but not packaging', () => {
    const guessed = (input: string): boolean | undefined => {
      const prepared = prepareArguments(input, page);
      return prepared.ok ? prepared.guessed : undefined;
    };
    expect(guessed('{"file":"a"}')).toBe(false);
    expect(guessed('```json\n{"file":"a"}\n```')).toBe(false);
    expect(guessed('Such as {"file":"a"}.')).toBe(true);
    expect(guessed("{'file':'a'}")).toBe(true);
    expect(guessed('{"file":"a\nb",}')).toBe(true);
  });

  it('refuses glued objects, which can be split without loss', () => {
    expect(refusal('{"file":"a"}{"file":"b"}', page)).toContain('more than one JSON value');
    expect(splitArguments('{"file":"a"} {"file":"}{"}')).toEqual(['{"file":"a"}', '{"file":"}{"}']);
  });

  it.each(['{"a":1}', '{"a":1}{"b":', '{"a":1} x {"b":2}', '[1][2]', '', "{'a':1}{'b':2}"])(
    'does not split %j',
    (input) => {
      expect(splitArguments(input)).toEqual([input]);
    },
  );

  it('hands an integer beyond a double to a text field digit by digit, and refuses it for a number', () => {
    expect(prepareArguments('{"id":9007199254740993}', z.object({ id: z.string() }))).toMatchObject({
      ok: true,
      args: { id: '9007199254740993' },
    });
    expect(prepareArguments('{"id":9007199254740993}', z.object({ id: z.number() })).ok).toBe(false);
    expect(refusal({ id: '9007199254740993' }, z.object({ id: z.number() }))).toContain('id:');
    expect(prepareArguments('{"n":100000000000000000}', z.object({ n: z.number() }))).toMatchObject({
      args: { n: 1e17 },
    });
  });
});

describe('coercion', () => {
  it('reads plain decimal text as a number', () => {
    const schema = z.object({ n: z.number(), i: z.int().optional() });
    expect(accepted({ n: '-2.5', i: '40' }, schema)).toEqual({ n: -2.5, i: 40 });
    expect(prepareArguments('{"n":"7"}', schema)).toEqual({
      ok: true,
      args: { n: 7 },
      coercions: ['n: "7" read as 7'],
      guessed: false,
    });
  });

  it.each(['', ' 5 ', '0x10', '1e3', '007', '+1', '.5', '5.', '1,000', 'ten', 'NaN', 'Infinity', '٣'])(
    'does not read %j as a required number',
    (text) => {
      expect(refusal({ n: text }, z.object({ n: z.number() }))).toContain('n: ');
    },
  );

  it('does not read a fraction as an integer, nor past the bounds of the schema', () => {
    expect(refusal({ file: 'a', lines: '2.5' }, page)).toContain('lines:');
    expect(refusal({ file: 'a', lines: '0' }, page)).toContain('lines:');
  });

  it('reads true and false, and no other text, as a boolean', () => {
    const schema = z.object({ on: z.boolean() });
    expect(accepted({ on: 'false' }, schema)).toEqual({ on: false });
    for (const text of ['True', 'yes', '1', '']) expect(refusal({ on: text }, schema)).toContain('on:');
  });

  it('reads JSON text as the array or object the schema asks for, and goes on inside', () => {
    const schema = z.object({ tags: z.array(z.int()), at: z.object({ x: z.number() }).optional() });
    expect(accepted({ tags: '["1", 2]', at: '{"x":"3"}' }, schema)).toEqual({ tags: [1, 2], at: { x: 3 } });
    for (const text of ['[1', '"x"', '{"x":1}', '[1] [2]', '[1,]', 'a']) {
      expect(refusal({ tags: text }, schema)).toContain('tags: ');
    }
  });

  it('reads arguments that were encoded twice', () => {
    expect(prepareArguments(JSON.stringify('{"file":"a"}'), page)).toMatchObject({ ok: true, args: { file: 'a' } });
  });

  it('drops null only where the field is optional and null is not a value of it', () => {
    const schema = z.object({
      kind: z.string(),
      price: z.number().optional(),
      note: z.string().default('-'),
      up: z.string().nullable(),
    });
    expect(accepted({ kind: 'boat', price: null, note: null, up: null }, schema)).toEqual({
      kind: 'boat',
      note: '-',
      up: null,
    });
    expect(refusal({ kind: null, up: null }, schema)).toMatch(/kind: .*received null/);
    expect(refusal({ a: null }, z.record(z.string(), z.number()))).toMatch(/a: .*received null/);
    expect(accepted({ kind: 'a', up: null, price: null }, schema)).not.toHaveProperty('price');
    expect(accepted({ o: null }, z.object({ o: z.number().nullish() }))).toEqual({ o: null });
  });

  it('takes empty text as absent for an optional number, boolean or enum, and keeps it for text', () => {
    const schema = z.object({
      n: z.int().optional(),
      b: z.boolean().nullish(),
      e: z.enum(['x', 'y']).optional(),
      s: z.string().optional(),
      u: z.union([z.string(), z.number()]).optional(),
    });
    expect(accepted({ n: '', b: '', e: '', s: '', u: '' }, schema)).toEqual({ s: '', u: '' });
    expect(refusal({ a: '' }, z.object({ a: z.array(z.string()).optional() }))).toContain('a:');
  });

  it('folds the case of an enum value when exactly one matches', () => {
    const schema = z.object({ stage: z.enum(['draft', 'in_review', 'Done', 'DONE']) });
    expect(accepted({ stage: 'In_Review' }, schema)).toEqual({ stage: 'in_review' });
    expect(accepted({ stage: 'Done' }, schema)).toEqual({ stage: 'Done' });
    for (const stage of ['done', 'finished', 4]) {
      expect(refusal({ stage }, schema)).toContain('is not one of "draft", "in_review", "Done", "DONE"');
    }
    expect(accepted({ stage: 'DRAFT' }, z.object({ stage: z.enum(['draft']).nullable() }))).toEqual({ stage: 'draft' });
    expect(accepted({ level: '2' }, z.object({ level: z.literal([1, 2]) }))).toEqual({ level: 2 });
  });

  it('leaves text alone, byte for byte, wherever the schema accepts text', () => {
    const schema = z.object({
      s: z.string(),
      u: z.union([z.number(), z.string(), z.boolean(), z.array(z.int())]),
      a: z.unknown(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom('5', 'true', '[1]', '{"a":1}', '', 'null'), fc.string()), (text) => {
        expect(accepted({ s: text, u: text, a: text }, schema)).toEqual({ s: text, u: text, a: text });
      }),
    );
  });

  it('is left to a schema that does it itself', () => {
    const schema = z.object({ n: z.coerce.number(), on: z.preprocess((given) => given === 'on', z.boolean()) });
    expect(prepareArguments('{"n":"0x10","on":"true"}', schema)).toEqual({
      ok: true,
      args: { n: 16, on: false },
      coercions: [],
      guessed: false,
    });
  });

  it('does not turn other types into text', () => {
    expect(refusal({ file: 5 }, page)).toContain('file:');
  });
});

describe('unknown keys', () => {
  const folder = z.object({
    title: z.string(),
    parentFolder: z.string().optional(),
    look: z.object({ colour: z.string() }).optional(),
  });

  it('are refused at every level with the nearest valid key', () => {
    expect(refusal({ title: 'x', parent_folder: 'f' }, folder)).toContain('did you mean "parentFolder"?');
    expect(refusal({ title: 'x', look: { color: 'red' } }, folder)).toContain(
      'unknown key "color" in look; did you mean "colour"?',
    );
    expect(
      refusal(
        { list: [{ colour: 'a' }, { colour: 'a', zzz: 1 }] },
        z.object({ list: z.array(folder.shape.look.unwrap()) }),
      ),
    ).toContain('unknown key "zzz" in list[1] (valid keys: colour)');
    expect(refusal({ a: 1 }, z.object({}))).toContain('unknown key "a"');
    expect(refusal({ a: 1 }, z.strictObject({ b: z.int().optional() }))).toContain('unknown key "a"');
  });

  it('are refused inside JSON text that was decoded', () => {
    expect(refusal({ title: 'x', look: '{"color":"red"}' }, folder)).toContain('unknown key "color" in look');
  });

  it('are allowed where the schema allows them', () => {
    const loose = { a: 1, b: { c: 'x' } };
    expect(accepted(loose, z.looseObject({ a: z.int() }))).toEqual(loose);
    expect(accepted(loose, z.object({}).catchall(z.unknown()))).toEqual(loose);
    expect(accepted({ a: '1', b: 2 }, z.record(z.string(), z.number()))).toEqual({ a: 1, b: 2 });
    expect(accepted({ opts: loose }, z.object({ opts: z.json() }))).toEqual({ opts: loose });
    expect(
      accepted({ a: 'x', b: 'y' }, z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))),
    ).toEqual({ a: 'x', b: 'y' });
  });

  it('never reach for a prototype, even where the schema allows any', () => {
    const open = z.looseObject({ title: z.string() });
    for (const text of ['{"title":"x","__proto__":{"a":1}}', '{"title":"x","constructor":{"prototype":{"a":1}}}'])
      expect(refusal(text, open)).toContain('no tool takes them');
  });

  it.each([
    '{"title":"x","__proto__":{"admin":true}}',
    '{"title":"x","constructor":{}}',
    '{"title":"x","toString":1}',
    '{"title":"x","look":{"colour":"a","__proto__":1}}',
    '{"title":"x","look":{"constructor":{"prototype":{"admin":true}}}}',
  ])('may be names of the prototype: %j', (input) => {
    expect(refusal(input, folder)).toMatch(/unknown key "(__proto__|constructor|toString)"/);
    expect({}).not.toHaveProperty('admin');
  });
});

describe('unions and references', () => {
  const shape = z.discriminatedUnion('type', [
    z.object({ type: z.literal('circle'), radius: z.number() }),
    z.object({ type: z.literal('box'), size: z.object({ w: z.int(), h: z.int() }), label: z.string().optional() }),
  ]);

  it('coerce and refuse by the form that is meant', () => {
    expect(accepted({ type: 'circle', radius: '2' }, shape)).toEqual({ type: 'circle', radius: 2 });
    expect(accepted({ type: 'box', size: '{"w":"1","h":2}', label: '2' }, shape)).toEqual({
      type: 'box',
      size: { w: 1, h: 2 },
      label: '2',
    });
    expect(refusal({ type: 'box', radius: 2, size: { w: 1, h: 1 } }, shape)).toContain(
      'unknown key "radius" (valid keys: type, size, label)',
    );
    expect(refusal({ type: 'line', radius: 2 }, shape)).toContain('{ type: "circle", radius: number } | { type: "box"');
  });

  it('are followed through recursion', () => {
    const tree = z.object({
      name: z.string(),
      get kids() {
        return z.array(tree).optional();
      },
    });
    expect(accepted({ name: 'a', kids: [{ name: 'b', kids: '[{"name":"c"}]' }] }, tree)).toEqual({
      name: 'a',
      kids: [{ name: 'b', kids: [{ name: 'c' }] }],
    });
    expect(refusal({ name: 'a', kids: [{ name: 'b', kid: [] }] }, tree)).toContain('did you mean "kids"?');
  });

  it('do not take exponential time on nested unions', () => {
    const node: z.ZodType = z.lazy(() =>
      z.union([z.object({ l: z.union([node, z.int()]) }), z.object({ l: node, r: z.int() })]),
    );
    let deep: unknown = { l: 5 };
    for (let level = 0; level < 60; level += 1) deep = { l: deep };
    const from = performance.now();
    expect(accepted({ node: deep }, z.object({ node }))).toEqual({ node: deep });
    expect(performance.now() - from).toBeLessThan(3000);
  });
});

/** A schema with values that it accepts. */
interface Kind {
  type: z.ZodType;
  values: fc.Arbitrary<unknown>;
}

describe('every schema', () => {
  const text = fc.oneof(fc.constantFrom('5', '', 'true', 'ab', '[1]', '{"a":null}'), fc.string());
  const leaf = fc.constantFrom<Kind>(
    { type: z.string(), values: text },
    { type: z.number(), values: fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((number) => number + 0) },
    { type: z.int(), values: fc.integer() },
    { type: z.boolean(), values: fc.boolean() },
    { type: z.enum(['ab', 'CD', '1']), values: fc.constantFrom('ab', 'CD', '1') },
    { type: z.literal(['x', 3]), values: fc.constantFrom('x', 3) },
    { type: z.json(), values: fc.oneof(text, fc.constantFrom(null, [1], { q: ['1'] })) },
    { type: z.union([z.int(), z.boolean()]), values: fc.oneof(fc.integer(), fc.boolean()) },
    { type: z.union([z.int(), z.string()]), values: fc.oneof(fc.integer(), text) },
  );
  const kinds = fc.letrec<{ any: Kind; object: Kind }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      leaf,
      tie('object'),
      tie('any').map(({ type, values }) => ({ type: z.array(type), values: fc.array(values, { maxLength: 2 }) })),
      tie('any').map(({ type, values }) => ({ type: z.nullable(type), values: fc.option(values) })),
      tie('any').map(({ type, values }) => ({ type: z.record(z.string(), type), values: values.map((k) => ({ k })) })),
    ),
    object: fc.tuple(tie('any'), tie('any')).map(([a, b]) => ({
      type: z.object({ a: a.type, b: b.type.optional() }),
      values: fc.record({ a: a.values, b: b.values }, { requiredKeys: ['a'], noNullPrototype: true }),
    })),
  }));
  const pairs = kinds.object.chain(({ type, values }) => values.map((value) => ({ type, value })));

  it('leaves a value that validates as it is', () => {
    fc.assert(
      fc.property(pairs, ({ type, value }) => {
        const prepared = prepareArguments(JSON.stringify(value), type);
        expect(prepared).toEqual({ ok: true, args: value, coercions: [], guessed: false });
      }),
    );
  });

  it('returns what validates, from whatever text, and stays the same when it is prepared again', () => {
    const asText = (value: unknown): unknown =>
      typeof value === 'string' ? value.toUpperCase() : JSON.stringify(value);
    fc.assert(
      fc.property(pairs, ({ type, value }) => {
        const texts = Object.fromEntries(Object.entries(Object(value)).map(([key, item]) => [key, asText(item)]));
        const prepared = prepareArguments(JSON.stringify(texts), type);
        if (!prepared.ok) return;
        const { args } = prepared;
        expect(type.safeParse(args)).toEqual({ success: true, data: args });
        expect(prepareArguments(JSON.stringify(args), type)).toEqual({ ok: true, args, coercions: [], guessed: false });
      }),
    );
  });
});
