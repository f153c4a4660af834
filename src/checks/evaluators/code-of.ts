import type { Language } from '../../tools/builtin/run-code/sandbox.ts';

const fenceNames: Record<Language, readonly string[]> = {
  javascript: ['javascript', 'js', 'mjs', 'cjs', 'jsx', 'node'],
  typescript: ['typescript', 'ts', 'mts', 'javascript', 'js'],
  python: ['python', 'py', 'python3'],
};

const definition = /\b(?:function|class|def)\b|=>/;

/**
 * The program in an answer: the last fenced block of the language that defines something, else the last block, else the whole
 * answer. A block without a name counts as one of the language; an answer whose blocks are all of other languages has no program.
 */
export function codeOf(answer: string, language: Language): string {
  const fenced = blocksOf(answer);
  if (fenced.length === 0) return answer;
  const blocks = fenced
    .filter(({ name }) => name === '' || fenceNames[language].includes(name))
    .map(({ lines }) => `${lines.join('\n')}\n`);
  return blocks.findLast((code) => definition.test(code)) ?? blocks.at(-1) ?? '';
}

interface Block {
  fence: string;
  name: string;
  lines: string[];
}

/** A block that is not closed goes to the end. */
function blocksOf(answer: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of answer.split(/\r?\n/)) {
    const [, fence = '', name = ''] = /^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)/.exec(line) ?? [];
    if (open && fence === open.fence && name === '') open = undefined;
    else if (open) open.lines.push(line);
    else if (fence !== '') {
      open = { fence, name: name.toLowerCase(), lines: [] };
      blocks.push(open);
    }
  }
  return blocks;
}
