import type { Quantity } from './quantities.ts';
import type { Statement } from './statements.ts';

const opposites: ReadonlySet<string> = new Set(
  `increas decreas|ris fall|rose fell|risen fallen|grew shrank|growth decline|up down|higher lower|highest lowest|high low|more less|more fewer|most least
above below|over under|before after|maximum minimum|larger smaller|largest smallest|big small|longer shorter|longest shortest|faster slower|open clos
allow forbid|allow prohibit|permit prohibit|requir optional|mandatory optional|includ exclud|enabl disabl|accept reject|approv deny|approv reject
pass fail|won lost|win los|profit loss|gain loss|buy sell|bought sold|first last|early late|earlier later|north south|east west|northern southern|eastern western
hot cold|true fals|available unavailable|valid invalid|legal illegal|possible impossible|safe unsafe|support oppos|import export|success failure|start end
left right|male female|men women|adult children|positive negative|public private|free paid|old new|older newer|internal external|active inactive|full empty
增加 减少|增长 下降|上升 下降|上涨 下跌|提高 降低|升高 降低|高于 低于|大于 小于|多于 少于|允许 禁止|包括 排除|之前 之后|以前 以后|最高 最低|最大 最小|最多 最少
盈利 亏损|支持 反对|开启 关闭|启用 禁用|必须 可选|成功 失败|进口 出口|收入 支出|买入 卖出|通过 失败|有效 无效|合法 非法|安全 危险|上午 下午|首次 最后|左 右|东 西|南 北|男 女`
    .split(/[|\n]/)
    .flatMap((pair) => [pair, pair.split(' ').reverse().join(' ')]),
);
/** Words that make a statement conditional, partial or a question, so that a negation beside them proves nothing. */
const qualified =
  /\?|？|\b(?:if|whether|unless|until|except|other than|only|rather|instead|hardly|barely|false|none|null|nil|would|should|could|might|refus|den(?:y|ied)|fail|lack)\b|如果|若|是否|除|以外|之外|只|仅|否则|才|吗|无需|不必/iu;

/** Why a claim cannot be what the quote says in the same words; undefined where words alone cannot tell. */
export function conflictOf(claim: Statement, quote: Statement): string | undefined {
  return polarity(claim, quote) ?? opposite(claim, quote) ?? otherName(claim, quote);
}

function polarity(claim: Statement, quote: Statement): string | undefined {
  const difference = claim.negations.length - quote.negations.length;
  if (Math.abs(difference) !== 1 || !isTelling(claim.words) || !isSubset(claim.words, quote.words)) return undefined;
  if (qualified.test(quote.text) || qualified.test(claim.text) || !sharesOrder(claim, quote)) return undefined;
  if (quote.words.length > claim.words.length + 4 || hasOtherNumber(quote, claim)) return undefined;
  const [negative, plain] = difference > 0 ? [claim, quote] : [quote, claim];
  const at = negative.negations.at(-1) ?? 0;
  const negated = negative.words[at] ?? negative.words[at - 1];
  if (negated === undefined || !plain.words.includes(negated)) return undefined;
  return difference > 0 ? 'the claim denies it' : 'the quote denies it';
}

function opposite(claim: Statement, quote: Statement): string | undefined {
  const extra = claim.words.filter((word) => !quote.words.includes(word));
  const [word] = extra;
  const contrary = quote.words.find((other) => opposites.has(`${word} ${other}`));
  if (extra.length !== 1 || word === undefined || contrary === undefined || !isTelling(claim.words)) return undefined;
  if (claim.negations.length !== quote.negations.length || hasOtherNumber(quote, claim)) return undefined;
  if (
    quote.words.length > claim.words.length + 4 ||
    qualified.test(quote.text) ||
    !sharesOrder(claim, quote, [word, contrary])
  )
    return undefined;
  return `the claim has "${word}…" and the quote "${contrary}…"`;
}

/** One name (a capital letter, a code such as Q3) stands where the quote has another, and everything else is the same. */
function otherName(claim: Statement, quote: Statement): string | undefined {
  if (claim.words.length !== quote.words.length || claim.words.length + claim.quantities.length < 3) return undefined;
  const places = claim.words.flatMap((word, place) => (word === quote.words[place] ? [] : [place]));
  const [place] = places;
  if (places.length !== 1 || place === undefined || claim.quantities.length !== quote.quantities.length)
    return undefined;
  const [one, other] = [claim.words[place] ?? '', quote.words[place] ?? ''];
  const isCode = (word: string): boolean => /^(?:[A-Zb-hj-z]|[a-z]{1,4}-?\d+|\d+-?[a-z]{1,3})$/.test(word);
  return isCode(one) && isCode(other) ? `the claim is about ${one}, the quote about ${other}` : undefined;
}

function hasOtherNumber(quote: Statement, claim: Statement): boolean {
  return quote.quantities.some((given) => !hasNumber(claim, given));
}

function hasNumber({ quantities }: Statement, sought: Quantity): boolean {
  return quantities.some(({ number }) => number.value === sought.number.value);
}

/** Enough words that sharing them means being about the same. */
function isTelling(words: readonly string[]): boolean {
  return words.length >= 3 || (words.length === 2 && words.every((word) => /^\p{Script=Han}{2,}$/u.test(word)));
}

function isSubset(words: readonly string[], of: readonly string[]): boolean {
  return words.every((word) => of.includes(word));
}

/** The words both have come in the same order, each word of a pair counting as the other. */
function sharesOrder(claim: Statement, quote: Statement, pair: readonly string[] = []): boolean {
  const one = (word: string): string => (pair.includes(word) ? (pair[0] ?? word) : word);
  let from = 0;
  const others = quote.words.map(one);
  return claim.words.map(one).every((word) => {
    const place = others.indexOf(word, from);
    from = place + 1;
    return place >= 0;
  });
}
