import { type Style, styleFor, wantsColours } from './style.ts';

/** Where a command writes: results to stdout, everything that tells how it is going to stderr. */
export interface Screen {
  /** Columns to wrap notes at; 80 when stderr is no terminal. */
  readonly columns: number;
  /** Columns to wrap results at; undefined when stdout is no terminal, so that a file gets the text as it is. */
  readonly outColumns: number | undefined;
  readonly style: Style;
  readonly outStyle: Style;
  /** Whether a line on stderr may be drawn over. */
  readonly canRedraw: boolean;
  /** Whether a human is there to ask: stdin and stderr are terminals. */
  readonly canAsk: boolean;
  /** Writes to stdout, with a line end. */
  out(text: string): void;
  /** Writes to stderr, with a line end. */
  note(text: string): void;
  /** Writes to stderr as it is, for a line that is drawn over. */
  draw(text: string): void;
}

const narrowest = 40;
const widest = 100;
const usual = 80;

/** The screen of this process. `quiet` drops notes: with `--json` a program reads, and only errors are told. */
export function processScreen(options: { env?: NodeJS.ProcessEnv; quiet?: boolean } = {}): Screen {
  const { env = process.env, quiet = false } = options;
  const { stdout, stderr } = process;
  // The command's own way out, also while what others print is kept away from it.
  const write = stdout.write.bind(stdout);
  const noColour = Boolean(env['NO_COLOR']) && env['FORCE_COLOR'] === undefined;
  return {
    columns: within(stderr.columns ?? usual),
    outColumns: stdout.isTTY ? within(stdout.columns) : undefined,
    style: styleFor(wantsColours(stderr, env)),
    outStyle: styleFor(wantsColours(stdout, env)),
    canRedraw: stderr.isTTY === true && !noColour && env['TERM'] !== 'dumb' && !quiet,
    // Standard input is opened by the first look at it, which most runs need not take.
    get canAsk() {
      return process.stdin.isTTY === true && stderr.isTTY === true && !quiet;
    },
    out: (text) => void write(`${text}\n`),
    note: (text) => {
      if (!quiet) stderr.write(`${text}\n`);
    },
    draw: (text) => void stderr.write(text),
  };
}

function within(columns: number): number {
  return Math.min(widest, Math.max(narrowest, columns));
}
