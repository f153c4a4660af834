import { fencedBlocks } from '../fenced-blocks.ts';

const labels: Readonly<Record<string, RegExp>> = {
  python: /^(?:python[23]?|py)$/,
  javascript: /^(?:javascript|js|mjs|node)$/,
  typescript: /^(?:typescript|ts|mts)$/,
};

/**
 * The code of a language in an answer: of its fenced blocks with that label (else with none) the first that holds
 * `name`, else the longest. An answer without any block is code as a whole. Undefined when there are blocks, but of
 * other languages only.
 */
export function codeOf(answer: string, language: string, name?: string): string | undefined {
  const blocks = fencedBlocks(answer);
  if (blocks.length === 0) return answer.trim() === '' ? undefined : answer;
  const labelled = blocks.filter(({ label }) => labels[language]?.test(label));
  const offered = labelled.length > 0 ? labelled : blocks.filter(({ label }) => label === '');
  const last = name?.split('.').at(-1);
  const named = last === undefined ? undefined : offered.find(({ code }) => definition(last).test(code));
  const longest = offered.toSorted((one, other) => other.code.length - one.code.length)[0];
  return (named ?? longest)?.code;
}

function definition(name: string): RegExp {
  return new RegExp(
    `(?:\\bdef|\\bfunction\\s*\\*?|\\bconst|\\blet|\\bvar|\\bclass|^\\s*(?:async|static)?)\\s+${name.replaceAll('$', '\\$')}\\b`,
    'm',
  );
}
