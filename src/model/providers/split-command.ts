import { UsageError } from '../../core/errors.ts';

const special = /['"\\\s]/;

/**
 * The words of a command line by the quoting rules of a shell, without a shell: nothing is expanded, and `|`, `>`, `;`, `$`
 * are plain characters. Single quotes keep everything, in double quotes a backslash escapes `"` and `\`, outside quotes
 * it escapes any character. Throws `UsageError` when nothing is left or a quote is open.
 */
export function splitCommand(command: string): [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < command.length; ) {
    const character = command.charAt(index);
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      index++;
      continue;
    }
    const { text, next } = readPiece(command, index);
    word = (word ?? '') + text;
    index = next;
  }
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (!program)
    throw new UsageError(`the model command "${command}" names no program: write for example exec:"python3 model.py"`);
  return [program, ...rest];
}

function readPiece(command: string, start: number): { text: string; next: number } {
  const character = command.charAt(start);
  if (character === "'" || character === '"') return readQuoted(command, start);
  if (character === '\\') return { text: command.charAt(start + 1), next: start + 2 };
  let end = start;
  while (end < command.length && !special.test(command.charAt(end))) end++;
  return { text: command.slice(start, end), next: end };
}

function readQuoted(command: string, start: number): { text: string; next: number } {
  const quote = command.charAt(start);
  let text = '';
  for (let index = start + 1; index < command.length; index++) {
    const character = command.charAt(index);
    if (character === quote) return { text, next: index + 1 };
    const escapes = quote === '"' && character === '\\' && /["\\]/.test(command.charAt(index + 1));
    if (escapes) index++;
    text += escapes ? command.charAt(index) : character;
  }
  throw new UsageError(`the model command "${command}" has an open ${quote}: close the quote`);
}
