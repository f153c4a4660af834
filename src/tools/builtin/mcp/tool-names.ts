import { createHash } from 'node:crypto';
import { UsageError } from '../../../core/errors.ts';
import { visibleLine } from './texts.ts';

/** What every provider takes as the name of a function. */
const longest = 64;

/** Throws `UsageError` for a server name that could make two servers' tools look alike. */
export function checkServerName(name: string): void {
  if (/^[a-zA-Z0-9][a-zA-Z0-9-]{0,31}$/.test(name)) return;
  // Without an underscore in it, the first underscore of a tool's name ends the server's part: no other server can make that name.
  throw new UsageError(
    `mcp: "${visibleLine(name, 60)}" cannot be the name of a server: use 1 to 32 letters, digits and hyphens, for example "github"`,
  );
}

/**
 * The name of each tool for the model: `server_tool` in `[a-zA-Z0-9_-]{1,64}`. Names that would become the same get a suffix made
 * of the server's own name for it, so the result does not depend on their order. A name that still collides is left out.
 */
export function modelNames(server: string, tools: readonly string[]): Map<string, string> {
  const plain = new Map(tools.map((tool) => [tool, plainName(server, tool)]));
  const uses = counted(plain.values());
  const distinct = new Map(
    [...plain].map(([tool, name]) => {
      const keeps = uses.get(name) === 1 || name === `${server}_${tool}`;
      return [tool, keeps ? name : withSuffix(name, tool)];
    }),
  );
  const finalUses = counted(distinct.values());
  return new Map([...distinct].filter(([, name]) => finalUses.get(name) === 1));
}

function plainName(server: string, tool: string): string {
  const name = `${server}_${tool.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
  return name.length > longest ? withSuffix(name, tool) : name;
}

function withSuffix(name: string, tool: string): string {
  const suffix = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${name.slice(0, longest - suffix.length - 1)}_${suffix}`;
}

function counted(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Whether a pattern with `*` for any text fits the whole name. Linear in the name, whoever wrote it. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
