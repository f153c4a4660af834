import { announcedPart } from '../../solver/self-consistency/normalisers.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, unanswered } from './grade-of.ts';

/** Letters of options where the task lists none; I is a word before it is an option. */
const usualLetters = [...'ABCDEFGHJ'];
/** Of an answer, from its end, in characters. */
const reach = 20_000;
/** In which an answer that begins with its letter shows that it is one. */
const beginning = 400;

/**
 * Passes when the answer chooses the option whose letter is expected (`B`, `(b)`). An option named in other words than its letter
 * counts where the task's input lists the options, as `(A) farm (B) barn`. A letter that is denied (`not B`, `B is wrong`) is not
 * chosen, nor is one inside a word, and of two that are offered none is.
 */
export function choice(): Grader {
  return {
    name: 'choice',
    knows: 'reference',
    reads: 'answer',
    config: {},
    grade({ task, answer }) {
      const wanted =
        typeof task.expected === 'string' ? /^[\s([]*([A-Za-z])[\s)\].:]*$/.exec(task.expected)?.[1] : undefined;
      if (wanted === undefined) throw misfit(task, 'choice', 'the letter of the right option');
      const letter = wanted.toUpperCase();
      if (isBlank(answer)) return unanswered(letter);
      const options = optionsIn(task);
      const letters = new Set([...(options.size > 0 ? options.keys() : usualLetters), letter]);
      const read = chosenLetter(answer.slice(-reach).normalize('NFKC'), letters) ?? optionNamed(answer, options);
      return gradeOf(read === letter, `${read ? `read ${read}` : 'no one option is chosen'}, expected ${letter}`);
    },
  };
}

/** The options that the task's input lists from A on, by letter. */
function optionsIn({ input }: EvalTask): Map<string, string> {
  const marks = [...input.matchAll(/(?<![\p{L}\p{N}])\(?([A-Z])[).:]\s*/gu)];
  const listed: { letter: string; from: number; to: number }[] = [];
  for (const { 0: mark, 1: letter = '', index } of marks) {
    if (letter === String.fromCharCode('A'.charCodeAt(0) + listed.length))
      listed.push({ letter, from: index, to: index + mark.length });
  }
  if (listed.length < 2) return new Map();
  return new Map(listed.map(({ letter, to }, place) => [letter, plainText(input.slice(to, listed[place + 1]?.from))]));
}

function plainText(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'*]+/, '')
    .slice(0, 400)
    .replace(/[\s"'*.,;]+$/, '');
}

function optionNamed(answer: string, options: ReadonlyMap<string, string>): string | undefined {
  if (answer.length > reach) return undefined;
  const said = new Set([plainText(answer), plainText(announcedPart(answer))]);
  const named = [...options].filter(([, text]) => text !== '' && said.has(text));
  return named.length === 1 ? named[0]?.[0] : undefined;
}

const denials = [
  /(?:\b[Nn]ot|n['’]t(?:\sbe)?|\b[Nn]either|\b[Nn]or|\b[Ii]nstead of|\b[Rr]ather than|不[是选]?|而非)\s*(?:the\s+)?(?:(?:answer|[Oo]ption|[Cc]hoice|选项?)\s*)?[([]?\b[A-Z]\b[)\]]?(?:\s*(?:or|nor|,)\s*[([]?\b[A-Z]\b[)\]]?)*/g,
  /(?:\b[Oo]ption\s+)?[([]?\b[A-Z]\b[)\]]?\s*(?:(?:is|was)\s+(?:not\b|wrong|incorrect|false)|不对|是错)/g,
];
const mark = '[*_([（【"\'“‘]*';
const closing = '[*_)\\]）】"\'”’.。:：,;!]*';
const lead = new RegExp(
  `^[\\s*_"'“‘:：.,;]*(?:(?:[Oo]ption|[Cc]hoice|选项?)\\s*)?${mark}([A-Za-z])(${closing})([\\s\\S]*)$`,
);
const bareLetter = new RegExp(`^\\s*${mark}[A-Z]${closing}\\s*$`);
const hedge = /^\s*(?:or|and|\/|&|,|或|和|、)\s*(?:[Oo]ption\s*)?[([]?[A-Z](?![\p{L}\p{N}'’])/u;
const reasons = /^\s+(?:because|since|as|is|was|for|which|given|would|fits|[(—–=-])/;
const verbs =
  /(?:\b(?:choose|chose|pick|select|go with|going with|(?:option|choice) is)|\bis|\bbut|选择?)\s*:?\s*(?:[Oo]ption\s*)?[([*"]*([B-Z]|A(?!\s+(?!because|since|as\b)[a-z]))(?![\p{L}\p{N}'’])/gu;
const marked = /[([（【]([A-Z])[)\]）】]|\*\*([A-Z])\*\*|\b(?:[Oo]ption|[Cc]hoice)\s+([A-Z])\b/g;

function chosenLetter(answer: string, letters: ReadonlySet<string>): string | undefined {
  const plain = denials
    .reduce((text, denial) => text.replace(denial, ' '), answer)
    .replace(/\\boxed\{\s*\\text\{([^{}]*)\}/g, '\\boxed{$1');
  const announced = announcedPart(plain);
  const isAnnounced = announced !== plain;
  const lines = plain.trim().split('\n');
  const alone = [lines.at(-1) ?? '', lines[0] ?? ''].filter((line) => bareLetter.test(line));
  const parts = isAnnounced ? [announced, ...alone.slice(0, 1)] : [alone[0] ?? plain];
  for (const [place, part] of parts.entries()) {
    const found = leadingLetter(part, isAnnounced && place === 0);
    if (found === 'several') return undefined;
    if (found && letters.has(found)) return found;
  }
  return onlyOne(verbs, announced, letters) ?? onlyOne(marked, announced, letters);
}

/** The letter that a text begins with, where it is an option and not a word. */
function leadingLetter(text: string, isAnnounced: boolean): string | undefined {
  const [, letter = '', after = '', rest = ''] = lead.exec(text.trimStart().slice(0, beginning)) ?? [];
  if (letter === '' || (after === '' && /^[\p{L}\p{N}_'’]/u.test(rest))) return undefined;
  if (hedge.test(after.replace(/[^,]/g, '') + rest)) return 'several';
  if (rest.trim() === '') return letter.toUpperCase();
  if (/[)\]）】.。:：,;]/.test(after) && /^\s/.test(rest)) return letter.toUpperCase();
  if (letter !== letter.toUpperCase()) return undefined;
  const follows = reasons.test(rest) || /^\s*\n/.test(rest) || !/^[\s\p{L}]/u.test(rest);
  return follows || (isAnnounced && letter !== 'A' && letter !== 'I') ? letter : undefined;
}

/** The letter that all matches name. */
function onlyOne(pattern: RegExp, text: string, letters: ReadonlySet<string>): string | undefined {
  const named = new Set(
    [...text.matchAll(pattern)].map((match) => match.slice(1).find((group) => group !== undefined)),
  );
  const [only] = named;
  return named.size === 1 && only !== undefined && letters.has(only) ? only : undefined;
}
