/** A fenced block of Markdown. */
export interface FencedBlock {
  /** The first word after the fence, lower case; empty for none. */
  label: string;
  code: string;
}

/** The fenced blocks of a text in order; one that is not closed ends with the text. */
export function fencedBlocks(text: string): FencedBlock[] {
  const pattern = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*\n([\s\S]*?)(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;
  return [...text.matchAll(pattern)].map(([, , label = '', code = '']) => ({ label: label.toLowerCase(), code }));
}
