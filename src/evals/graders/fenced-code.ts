/** The fenced blocks of a text in order, in time that grows with its length alone; one that is not closed ends with the text. */
export function fencedCode(text: string): string[] {
  const blocks: string[][] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      // Backticks behind backticks are code in a sentence.
      if (mark === undefined || (mark.startsWith('`') && line.trimStart().slice(mark.length).includes('`'))) continue;
      fence = mark;
      blocks.push([]);
    } else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    else blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join('\n'));
}
