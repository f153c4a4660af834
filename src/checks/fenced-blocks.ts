/** A fenced block of Markdown. */
export interface FencedBlock {
  /** The first word after the fence, lower case; empty for none. */
  label: string;
  code: string;
}

/** The fenced blocks of a text in order, in time that grows with its length alone; one that is not closed ends with the text. */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: { label: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const rest = mark === undefined ? '' : line.trimStart().slice(mark.length);
    if (fence === undefined) {
      // Backticks behind a fence are code in a sentence.
      if (mark === undefined || rest.includes('`')) continue;
      fence = mark;
      blocks.push({ label: (rest.trim().split(/\s/)[0] ?? '').toLowerCase(), lines: [] });
    } else if (mark?.startsWith(fence) && rest.trim() === '') fence = undefined;
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks.map(({ label, lines }) => ({ label, code: lines.length === 0 ? '' : `${lines.join('\n')}\n` }));
}

/** The code of each block, without the line end before its closing fence. */
export function fencedCode(text: string): string[] {
  return fencedBlocks(text).map(({ code }) => code.replace(/\n$/, ''));
}
