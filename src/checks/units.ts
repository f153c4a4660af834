/** Units of one kind of quantity: two different ones in an equation make it a conversion, which arithmetic cannot judge. */
const families: readonly string[] = [
  'ms s sec second min minute h hr hour day week month quarter year yr decade 毫秒 秒 分钟 小时 天 日 周 星期 个月 月 年 季度',
  'mm cm dm m km meter metre kilometer kilometre inch ft foot feet yd yard mi mile 毫米 厘米 米 公里 千米 里',
  'mg g kg t ton tonne gram kilogram lb lbs oz pound ounce 毫克 克 千克 公斤 斤 吨',
  'ml l liter litre gallon cup 毫升 升',
  'bit byte kb mb gb tb pb kib mib gib',
  'w kw mw gw wh kwh mwh gwh j kj cal kcal 瓦 千瓦 度',
  'usd eur gbp cny rmb jpy inr chf aud cad hkd krw $ € £ ¥ ₹ ₩ dollar euro yuan yen cent ¢ penny pence 元 美元 欧元 英镑 日元 人民币 角 分 块',
  '°c °f ℃ ℉',
  'piece item dozen pair 个 只 件 对 双 打',
];

const known: ReadonlyMap<string, number> = new Map(
  families.flatMap((family, index) => family.split(' ').map((unit): [string, number] => [unit, index])),
);
const chineseUnits = [...known.keys()]
  .filter((unit) => /\p{Script=Han}/u.test(unit))
  .sort((a, b) => b.length - a.length);
const aliases: ReadonlyMap<string, string> = new Map([
  ['€', 'eur'],
  ['euro', 'eur'],
  ['£', 'gbp'],
  ['$', 'usd'],
  ['dollar', 'usd'],
  ['美元', 'usd'],
  ['¥', 'cny'],
  ['元', 'cny'],
  ['rmb', 'cny'],
  ['人民币', 'cny'],
  ['yuan', 'cny'],
  ['欧元', 'eur'],
  ['英镑', 'gbp'],
  ['日元', 'jpy'],
  ['yen', 'jpy'],
  ['₹', 'inr'],
  ['₩', 'krw'],
  ['inche', 'inch'],
  ['hr', 'h'],
  ['hour', 'h'],
]);

/** A unit word in one form: lower case, singular, the code of a currency. */
export function unitOf(word: string): string {
  const lower = word.toLowerCase();
  const han = chineseUnits.find((unit) => lower.startsWith(unit));
  const singular = han ?? (known.has(lower) ? lower : lower.replace(/s$/, ''));
  return aliases.get(singular) ?? singular;
}

/** True for a unit this module knows, such as kg, USD or 小时. */
export function isKnownUnit(word: string): boolean {
  const unit = unitOf(word);
  return known.has(unit) || [...aliases.values()].includes(unit);
}

/** True when two of the units measure the same kind of quantity in different units. */
export function mixesUnits(units: readonly string[]): boolean {
  const seen = new Map<number, string>();
  for (const unit of units.flatMap((part) => part.split(/[/·]|\bper\b/).map(unitOf))) {
    const family = known.get(unit);
    if (family === undefined) continue;
    const other = seen.get(family);
    if (other !== undefined && other !== unit) return true;
    seen.set(family, unit);
  }
  return false;
}
