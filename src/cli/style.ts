/** Marks a text for a terminal, or leaves it as it is where colours are not wanted. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const codes: Record<keyof Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function styleFor(colours: boolean): Style {
  const mark =
    (name: keyof Style) =>
    (text: string): string =>
      colours && text !== '' ? `\x1b[${codes[name][0]}m${text}\x1b[${codes[name][1]}m` : text;
  return {
    bold: mark('bold'),
    dim: mark('dim'),
    red: mark('red'),
    green: mark('green'),
    yellow: mark('yellow'),
    cyan: mark('cyan'),
  };
}

/** Whether a stream gets colours: `FORCE_COLOR` decides first, then `NO_COLOR`, then whether it is a terminal. */
export function wantsColours(stream: { isTTY?: boolean | undefined }, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
