/** What the key of a journal entry says. */
export interface StepKey {
  /** As events and observations have it. */
  path: string;
  /** As the code named it: `turn`, `tool.search`; of a wait the name of its signal. */
  name: string;
  /** `mark`: an entry that an operation makes before its own, such as the intent of an effect. */
  kind: 'step' | 'wait' | 'sleep' | 'child' | 'cancel' | 'mark';
}

/** No segment of a path begins with `~`, but the name of a signal may hold anything. */
const operation = /^(?:(.*?)\/)?~(wait|child|sleep|cancel)(?::(.*))?$/s;
const step = /^(?:(.*)\/)?(.*)$/s;

/** Takes a key apart: `path/name`, with `#n` behind it for the n-th use and `!` behind that for a mark. */
export function stepKeyOf(key: string): StepKey {
  const isMark = key.endsWith('!');
  const base = (isMark ? key.slice(0, -1) : key).replace(/#\d+$/, '');
  const special = operation.exec(base);
  const [, path = '', named = ''] = special ? [base, special[1], special[3] ?? special[2]] : (step.exec(base) ?? []);
  // The expression knows these four words.
  const kind = (special?.[2] ?? 'step') as StepKey['kind'];
  return { path, name: plain(named), kind: isMark ? 'mark' : kind };
}

/** Undoes what keeps the characters of keys out of names. */
function plain(name: string): string {
  return name.replace(/%(21|23|25|7e)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
