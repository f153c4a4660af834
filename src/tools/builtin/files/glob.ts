import { UsageError } from '../../../core/errors.ts';

/** Whether a path, given as its parts, matches. */
export type Glob = (parts: readonly string[]) => boolean;

export const longestGlob = 256;
const mostAlternatives = 32;
const mostStars = 4;

/**
 * A matcher for `*`, `?`, `**` (any number of folders) and `{a,b}`; a pattern without `/` matches names at any depth. Matching takes time in
 * proportion to pattern times path: nothing is compiled to a regular expression. Throws `UsageError` for a pattern that is too long or wide.
 */
export function glob(pattern: string): Glob {
  if (pattern.length > longestGlob)
    throw new UsageError(`a glob has at most ${longestGlob} characters: make it shorter`);
  const choices = alternatives(pattern).map((choice) => {
    const segments = choice.replace(/^\.?\/+|\/+$/g, '').split(/\/+/);
    if (segments.filter((segment) => segment === '**').length > mostStars) {
      throw new UsageError(`a glob holds "**" at most ${mostStars} times: make it simpler`);
    }
    return segments.length === 1 ? ['**', ...segments] : segments;
  });
  return (parts) => choices.some((segments) => matchesPath(segments, parts));
}

/** The patterns that `{a,b}` stands for; braces that do not close are plain characters. */
function alternatives(pattern: string): string[] {
  let open = [pattern];
  for (;;) {
    const expanded = open.flatMap((each) => {
      const braces = /\{([^{}]*)\}/.exec(each);
      if (!braces) return [each];
      const [before, after] = [each.slice(0, braces.index), each.slice(braces.index + braces[0].length)];
      return (braces[1] ?? '').split(',').map((choice) => before + choice + after);
    });
    if (expanded.length > mostAlternatives) {
      throw new UsageError(`a glob stands for at most ${mostAlternatives} patterns: use fewer braces`);
    }
    if (expanded.every((each, index) => each === open[index])) return expanded;
    open = expanded;
  }
}

/** Row by row: `reached[n]` says whether the segments so far match the first n parts. */
function matchesPath(segments: readonly string[], parts: readonly string[]): boolean {
  let reached = [true, ...parts.map(() => false)];
  for (const segment of segments) {
    const next = parts.map((part, index) => reached[index] === true && matchesName(segment, part));
    reached = segment === '**' ? cumulative(reached) : [false, ...next];
  }
  return reached.at(-1) === true;
}

function cumulative(reached: readonly boolean[]): boolean[] {
  let any = false;
  return reached.map((each) => {
    any ||= each;
    return any;
  });
}

/** The last star takes one character more whenever what follows it does not fit: at most pattern times name steps. */
function matchesName(pattern: string, name: string): boolean {
  const [wanted, given] = [Array.from(pattern), Array.from(name)];
  let [at, from, star] = [0, 0, -1];
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === '*') {
      star = at++;
      from = index;
    } else if (wanted[at] === '?' || wanted[at] === given[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++from;
    } else return false;
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
