import { unitOf } from './units.ts';

/** What a unit measures and how much of it: km/h is 1/3.6 of { m: 1, s: -1 }. */
export interface Measure {
  /** Powers of the base units m, kg, s, byte, W and the currencies. */
  dimensions: Readonly<Record<string, number>>;
  factor: number;
}

const base: Readonly<Record<string, string>> = {
  m: 'mm:1e-3 cm:1e-2 dm:0.1 m:1 meter:1 metre:1 km:1e3 kilometer:1e3 kilometre:1e3 inch:0.0254 ft:0.3048 foot:0.3048 feet:0.3048 yd:0.9144 yard:0.9144 mi:1609.344 mile:1609.344 毫米:1e-3 厘米:1e-2 米:1 公里:1e3 千米:1e3',
  kg: 'mg:1e-6 g:1e-3 gram:1e-3 kg:1 kilogram:1 t:1e3 tonne:1e3 lb:0.45359237 oz:0.028349523125 ounce:0.028349523125 毫克:1e-6 克:1e-3 千克:1 公斤:1 斤:0.5 吨:1e3',
  s: 'ms:1e-3 s:1 sec:1 second:1 min:60 minute:60 h:3600 hour:3600 day:86400 week:604800 毫秒:1e-3 秒:1 分钟:60 小时:3600 天:86400 日:86400 周:604800 星期:604800',
  month: 'month:1 quarter:3 year:12 yr:12 decade:120 个月:1 季度:3 年:12',
  l: 'ml:1e-3 l:1 liter:1 litre:1 毫升:1e-3 升:1',
  byte: 'byte:1 kb:1e3 mb:1e6 gb:1e9 tb:1e12 pb:1e15 kib:1024 mib:1048576 gib:1073741824',
  watt: 'w:1 kw:1e3 mw:1e6 gw:1e9 瓦:1 千瓦:1e3',
  wh: 'wh:1 kwh:1e3 mwh:1e6 gwh:1e9',
};

const measures: ReadonlyMap<string, Measure> = new Map(
  Object.entries(base).flatMap(([dimension, units]) =>
    units.split(' ').map((pair): [string, Measure] => {
      const [unit = '', factor = '1'] = pair.split(':');
      return [unit, { dimensions: { [dimension]: 1 }, factor: Number(factor) }];
    }),
  ),
);
const currencies = new Set('eur gbp cny jpy inr chf krw'.split(' '));

/** The measure of a unit as a text writes it (km/h, kg, 公里, GBP); undefined for what has no certain one. */
export function measureOf(written: string): Measure | undefined {
  const [first = '', ...below] = written.trim().split(/\s*(?:\/|\bper\b)\s*/);
  const over = simple(first);
  if (!over) return undefined;
  let measure = over;
  for (const part of below) {
    const under = simple(part);
    if (!under) return undefined;
    measure = combine(measure, under, -1);
  }
  return measure;
}

/** The measure of a product, or with power -1 of a quotient. */
export function combine(left: Measure, right: Measure, power: 1 | -1): Measure {
  const dimensions: Record<string, number> = { ...left.dimensions };
  for (const [name, exponent] of Object.entries(right.dimensions)) {
    dimensions[name] = (dimensions[name] ?? 0) + power * exponent;
    if (dimensions[name] === 0) delete dimensions[name];
  }
  return { dimensions, factor: left.factor * right.factor ** power };
}

export function sameDimensions(left: Measure, right: Measure): boolean {
  const names = Object.keys(left.dimensions);
  return (
    names.length === Object.keys(right.dimensions).length &&
    names.every((name) => left.dimensions[name] === right.dimensions[name])
  );
}

function simple(written: string): Measure | undefined {
  const word = written.trim();
  // Mb is a bit or a byte, M a mega or a million.
  if (/^[kKMG]b$|^[A-Z]$/.test(word)) return undefined;
  const [, name = word, digit, sign] = /^(.*?)(?:\^?([23])|([²³]))$/.exec(word) ?? [];
  const square = word.startsWith('平方') || digit === '2' || sign === '²';
  const measure = measureOfWord(name.replace(/^(?:平方|立方)/, ''), word);
  if (!measure || name === word) return square && measure ? combine(measure, measure, 1) : measure;
  const squared = combine(measure, measure, 1);
  return square ? squared : combine(squared, measure, 1);
}

function measureOfWord(name: string, word: string): Measure | undefined {
  const unit = unitOf(name);
  const known = measures.get(unit);
  if (known) return known;
  // What several countries call a dollar is one thing here: the text says which it means. ¥ may be either of two.
  if (/^(?:usd|cad|aud|hkd)$/.test(unit)) return { dimensions: { dollar: 1 }, factor: 1 };
  return currencies.has(unit) && word !== '¥' ? { dimensions: { [unit]: 1 }, factor: 1 } : undefined;
}
