import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wireName } from '../model/wire/names.ts';
import { resolveToolName } from './names.ts';
import { nearestName } from './nearest.ts';

const catalogue = ['open_door', 'Lamp.set-level', 'lamp_list', 'gate_RUN', 'Gate_run', 'measureDepth'];

function resolved(raw: string, names: readonly string[] = catalogue): string | undefined {
  const result = resolveToolName(raw, names);
  return result.ok ? result.name : undefined;
}

function refused(raw: string, names: readonly string[] = catalogue): string {
  const result = resolveToolName(raw, names);
  return result.ok ? `accepted as ${result.name}` : result.message;
}

describe('resolveToolName', () => {
  it('takes an exact name as it is, before anything is cut or folded', () => {
    expect(resolveToolName('lamp_list', catalogue)).toEqual({ ok: true, name: 'lamp_list', repaired: false });
    expect(resolveToolName('functions.x', ['x', 'functions.x'])).toEqual({
      ok: true,
      name: 'functions.x',
      repaired: false,
    });
    expect(resolved('gate_RUN')).toBe('gate_RUN');
  });

  it.each([
    'open_door<|channel|>commentary',
    'open_door <|constrain|>json',
    'functions.open_door',
    'functions.open_door:3',
    'to=functions.open_door<|message|>',
    ' open_door\n',
    'open_door<｜tool▁sep｜>',
  ])('cuts what a server leaked into the name: %j', (raw) => {
    expect(resolveToolName(raw, catalogue)).toEqual({ ok: true, name: 'open_door', repaired: true });
  });

  it('knows a tool by the name that a vendor was told, also where a server left the call in a text', () => {
    const told = wireName('Lamp.set-level');
    for (const raw of [told, `functions.${told}:0`, `${told}<|channel|>commentary`]) {
      expect(resolveToolName(raw, catalogue)).toEqual({ ok: true, name: 'Lamp.set-level', repaired: true });
    }
  });

  it.each([
    ['lamp_set_level', 'Lamp.set-level'],
    ['LAMP/SET LEVEL', 'Lamp.set-level'],
    ['Open-Door', 'open_door'],
    ['openDoor', 'open_door'],
    ['measure_depth', 'measureDepth'],
    ['functions.Lamp-List:0', 'lamp_list'],
  ])('ignores case and separators: %j is %j', (raw, name) => {
    expect(resolveToolName(raw, catalogue)).toEqual({ ok: true, name, repaired: true });
  });

  it('prefers the name that has its separators in the same places', () => {
    expect(resolved('AB-C', ['ab_c', 'a_bc'])).toBe('ab_c');
  });

  it('refuses a name that fits two tools and names both', () => {
    const message = refused('GATE-run');
    expect(message).toContain('"gate_RUN"');
    expect(message).toContain('"Gate_run"');
    expect(refused('A.BC', ['AB_C', 'ABC'])).toContain('or');
  });

  it('lists the tools for an unknown name, with the nearest one when it is close', () => {
    const close = refused('open_doors');
    for (const name of catalogue) expect(close).toContain(name);
    expect(close).toContain('did you mean "open_door"?');
    expect(refused('translate_poem')).not.toContain('did you mean');
  });

  it('lists at most thirty tools', () => {
    const many = Array.from({ length: 40 }, (_, index) => `sensor_${index}`);
    const message = refused('kettle', many);
    expect(message).toContain('sensor_29 and 10 more');
    expect(message).not.toContain('sensor_30');
  });

  it.each(['', '  ', '<|channel|>commentary', 'functions.'])('says that %j names no tool', (raw) => {
    expect(refused(raw)).toMatch(/^the call names no tool; available: open_door/);
  });

  it('does not match a name of separators to a tool of separators only', () => {
    expect(refused('__', ['-'])).toContain('there is no tool "__"');
  });

  it('answers without tools, and keeps a page of text out of the message', () => {
    expect(refused('x', [])).toBe('there is no tool "x", and no tool is available');
    expect(refused('page '.repeat(50_000)).length).toBeLessThan(400);
  });

  it('never takes a prototype member for a tool', () => {
    for (const raw of ['constructor', '__proto__', 'toString']) expect(resolved(raw)).toBeUndefined();
  });

  it('only ever answers with a name of the list, and exactly the given one when it is there', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', ':', '0', ' ', '<', '|'), maxLength: 6 });
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 6 }), (raw, names) => {
        const result = resolveToolName(raw, names);
        if (!result.ok) {
          expect(names).not.toContain(raw);
          return;
        }
        expect(names).toContain(result.name);
        expect(result.repaired).toBe(result.name !== raw);
      }),
    );
  });
});

describe('nearestName', () => {
  it('finds a shortened or misspelled name, ignoring case', () => {
    expect(nearestName('parentDir', ['name', 'parentDirectory'])).toBe('parentDirectory');
    expect(nearestName('URLL', ['path', 'url'])).toBe('url');
    expect(nearestName('colour', ['color', 'colours'])).toBe('color');
  });

  it('finds nothing where nothing is close', () => {
    expect(nearestName('query', ['path', 'mode'])).toBeUndefined();
    expect(nearestName('q', [])).toBeUndefined();
    expect(nearestName('', ['ab'])).toBeUndefined();
  });
});
