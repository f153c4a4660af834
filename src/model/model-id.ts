import { UsageError } from '../core/errors.ts';
import type { Reasoning } from './wire.ts';

/** What an id says of how its model is to be asked. */
export interface IdSettings {
  reasoning?: Reasoning;
  /** Tokens of context, where the server lets the caller choose. */
  context?: number;
}

const levels: readonly Reasoning[] = ['none', 'low', 'medium', 'high'];

/**
 * An id with its settings taken off: `qwen3:4b,context=16384,reasoning=none`. Only what looks like a setting at the end is
 * one, so that names with commas stay. Throws `UsageError` for a setting with an impossible value.
 */
export function idSettings(written: string): { name: string; settings: IdSettings } {
  const settings: IdSettings = {};
  let name = written;
  for (let found = last(name); found; found = last(name)) {
    name = name.slice(0, found.index);
    if (found.key === 'reasoning') settings.reasoning = reasoningLevel(found.value, written);
    else settings.context = contextTokens(found.value, written);
  }
  return { name, settings };
}

function last(name: string): { index: number; key: string; value: string } | undefined {
  const found = /,\s*(reasoning|context)=([^,]*)$/.exec(name);
  return found ? { index: found.index, key: found[1] ?? '', value: (found[2] ?? '').trim() } : undefined;
}

function reasoningLevel(value: string, id: string): Reasoning {
  const level = levels.find((known) => known === value);
  if (level) return level;
  throw new UsageError(`"${value}" in ${id} is no level of reasoning. Known: ${levels.join(', ')}`);
}

function contextTokens(value: string, id: string): number {
  const tokens = Number(value);
  if (Number.isInteger(tokens) && tokens > 0) return tokens;
  throw new UsageError(`"${value}" in ${id} is no number of tokens. Write for example context=16384`);
}
