/**
 * Patterns of the policy's rules. They match in time linear in pattern times text, since the text may be a hostile argument; no
 * regular expression is made of either.
 */

/** Whether the whole text fits: `*` stands for any characters, `?` for one. */
export function matchesText(pattern: string, text: string): boolean {
  return matches([...pattern], [...text], { many: '*', one: (sign, character) => sign === '?' || sign === character });
}

/**
 * Whether an absolute path fits or lies below what fits: `*` and `?` stay within one name, `**` stands for any number of folders.
 * `/data/secret` covers the folder and everything in it.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const names = namesOf(path);
  return matches([...namesOf(pattern), '**'], names, { many: '**', one: matchesText });
}

/** Whether a host (as `URL` writes it) fits: a name, `*` for every host, or `*.` and a name for all names below it. */
export function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function namesOf(path: string): string[] {
  return path.split(/[\\/]/).filter((name) => name !== '');
}

/** Greedy matching that goes back to the last `many` only, which is enough since a later one can take over. */
function matches<Item>(
  pattern: readonly string[],
  items: readonly Item[],
  rule: { many: string; one(sign: string, item: Item): boolean },
): boolean {
  let at = 0;
  let sign = 0;
  let retry: { sign: number; at: number } | undefined;
  while (at < items.length) {
    const expected = pattern[sign];
    const item = items[at];
    if (expected === rule.many) {
      retry = { sign, at };
      sign++;
    } else if (expected !== undefined && item !== undefined && rule.one(expected, item)) {
      at++;
      sign++;
    } else if (retry) {
      retry.at++;
      at = retry.at;
      sign = retry.sign + 1;
    } else return false;
  }
  return pattern.slice(sign).every((rest) => rest === rule.many);
}
