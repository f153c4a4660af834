/**
 * Chain of Hindsight (Liu, Sferrazza and Abbeel 2023, section 2): several answers to a question in one sequence, each after a phrase that
 * says how good it is. The model learns the answers, the wrong ones too, and not the phrases; at work it is asked with a positive phrase.
 */
import { UsageError } from '../../core/errors.ts';
import { SeededRandom } from '../../runtime/seeded.ts';
import type { Example, JudgedAnswer, TaskGroup } from './example.ts';
import { type Pair, pairsOf, type Ranking, rankingsOf } from './pairs.ts';
import { chinesePhrases, englishPhrases, type FeedbackPhrases } from './prompts.ts';
import { type Segment, type Tokenizer, tokenSpans } from './token-spans.ts';

export interface CohOptions {
  /** Default `worst-first`. */
  order?: 'worst-first' | 'best-first' | 'random' | undefined;
  /** Answers of a sequence: 2, as in the paper's data, or more where a task has them. Default 2. */
  answers?: number | undefined;
  /** `absolute`: good and bad; `comparative`: better and worse than the one before; `mixed`: drawn for each row. Default `mixed`. */
  phrases?: 'absolute' | 'comparative' | 'mixed' | undefined;
  /** In place of the built-in ones. */
  english?: Partial<FeedbackPhrases> | undefined;
  chinese?: Partial<FeedbackPhrases> | undefined;
  /** Puts what the judge found wrong behind the phrase, where that is recorded and names no reference. Default false. */
  feedback?: boolean | undefined;
  /** Where tokens are in a text; with it, rows have the mask as token spans too. */
  tokenize?: Tokenizer | undefined;
  /**
   * Masks past tokens at random, so that the model does not copy: the share of a row is drawn from 0 to this. The paper takes 0.05.
   * Needs `tokenize`. Default 0.
   */
  maskPast?: number | undefined;
}

interface CohSettings extends CohOptions {
  seed: string;
  perTask: number;
}

/** Throws `UsageError` for options that cannot be meant. */
export function checkCohOptions({ answers = 2, maskPast = 0, tokenize }: CohOptions): void {
  if (!(Number.isInteger(answers) && answers >= 2))
    throw new UsageError(`answers is ${answers}: a sequence needs a whole number of at least 2`);
  if (!(maskPast >= 0 && maskPast < 1)) throw new UsageError(`maskPast is ${maskPast}: give a share from 0 to below 1`);
  if (maskPast > 0 && !tokenize)
    throw new UsageError('maskPast masks tokens, and it is not known where they are: give `tokenize` as well');
}

export function cohExamples(group: TaskGroup, settings: CohSettings): Example[] {
  return rankingsOf(group).flatMap((ranking) =>
    chainsOf(ranking, settings).map((chain, index) => ({
      rows: [rowOf(ranking.question, chain, { ...settings, seed: `${settings.seed} ${group.taskKey} ${index}` })],
      answers: chain,
      rebuilt: false,
      unseenEvidence: chain.some(({ usedTools }) => usedTools),
    })),
  );
}

/** The answers of each sequence, the worst first. There is always one that passed and one that did not. */
function chainsOf(ranking: Ranking, { answers = 2, perTask }: CohSettings): JudgedAnswer[][] {
  const pairs = pairsOf(ranking, { margin: 0, most: answers === 2 ? perTask : 1 });
  if (answers === 2) return pairs.map(({ chosen, rejected }) => [rejected, chosen]);
  return pairs.map((pair) => spread(ranking.answers, pair, answers));
}

/** The pair, and between or beside it others from all over the ranking. */
function spread(ranked: readonly JudgedAnswer[], { chosen, rejected }: Pair, most: number): JudgedAnswer[] {
  const others = ranked.filter((answer) => answer !== chosen && answer !== rejected);
  const wanted = Math.min(most - 2, others.length);
  const picked = new Set(
    Array.from({ length: wanted }, (_, index) => others[Math.floor(((index + 0.5) * others.length) / wanted)]),
  );
  return ranked.filter((answer) => answer === chosen || answer === rejected || picked.has(answer));
}

function rowOf(question: string, chain: readonly JudgedAnswer[], settings: CohSettings): object {
  const random = new SeededRandom(settings.seed);
  const segments = segmentsOf(question, inOrder(chain, settings.order ?? 'worst-first', random), { settings, random });
  const { tokenize, maskPast = 0 } = settings;
  if (!tokenize) return { segments };
  const tokens = tokenSpans(segments, tokenize);
  return { segments, tokens, ...(maskPast > 0 && { masked: maskedTokens(tokens.at(-1)?.end ?? 0, maskPast, random) }) };
}

function inOrder(
  chain: readonly JudgedAnswer[],
  order: NonNullable<CohOptions['order']>,
  random: SeededRandom,
): readonly JudgedAnswer[] {
  if (order === 'worst-first') return chain;
  if (order === 'best-first') return chain.toReversed();
  const left = [...chain];
  return chain.flatMap(() => left.splice(Math.floor(random.number() * left.length), 1));
}

interface Wording {
  settings: CohSettings;
  random: SeededRandom;
}

function segmentsOf(question: string, chain: readonly JudgedAnswer[], { settings, random }: Wording): Segment[] {
  const phrases = phrasesFor(question, settings);
  const { phrases: style = 'mixed' } = settings;
  const comparative = style === 'comparative' || (style === 'mixed' && random.number() < 0.5);
  return chain.flatMap((answer, index) => {
    const list = comparative ? compared(answer, chain[index - 1], phrases) : absolute(answer, phrases);
    const phrase = list[Math.floor(random.number() * list.length)] ?? '';
    const why = settings.feedback ? answer.verdict.feedback : undefined;
    const told = why === undefined ? '' : `${phrases.separator}(${why})`;
    const text = `${index === 0 ? question : ''}\n${phrase}${told}${phrases.separator}`;
    return [
      { text, loss: false },
      { text: answer.answer, loss: true },
    ];
  });
}

function absolute({ verdict }: JudgedAnswer, phrases: FeedbackPhrases): readonly string[] {
  return verdict.pass ? phrases.positive : phrases.negative;
}

function compared(
  { verdict }: JudgedAnswer,
  before: JudgedAnswer | undefined,
  phrases: FeedbackPhrases,
): readonly string[] {
  if (!before) return phrases.opening;
  const more = Number(verdict.pass) - Number(before.verdict.pass) || verdict.score - before.verdict.score;
  if (more === 0) return phrases.equal;
  return more > 0 ? phrases.better : phrases.worse;
}

function phrasesFor(question: string, { english, chinese }: CohOptions): FeedbackPhrases {
  return /\p{Script=Han}/u.test(question) ? { ...chinesePhrases, ...chinese } : { ...englishPhrases, ...english };
}

/** Numbers of tokens that later ones do not see (forgetful causal masking, Liu et al. 2022). The first is always seen. */
function maskedTokens(tokens: number, most: number, random: SeededRandom): number[] {
  const share = random.number() * most;
  return Array.from({ length: Math.max(0, tokens - 1) }, (_, index) => index + 1).filter(() => random.number() < share);
}
