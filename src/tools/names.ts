import { wireName } from '../model/wire/names.ts';
import { nearestName } from './nearest.ts';

/** The tool a call means. `repaired`: the model wrote the name another way. */
export type ResolvedName = { ok: true; name: string; repaired: boolean } | { ok: false; message: string };

/** Listing more would bury the message; a catalogue that long needs another way to be found. */
const listed = 30;

/**
 * Finds the tool a model means by `raw` among `names`. An exact match wins. Otherwise what servers leak into names is cut
 * (`read<|channel|>commentary`, `functions.read`, `read:0`), which may be the name a vendor was told, then case and the separators `- _ . / space` are ignored, first
 * their kind and then their presence. More than one match is refused with all of them, none with the list of tools.
 */
export function resolveToolName(raw: string, names: readonly string[]): ResolvedName {
  if (names.includes(raw)) return { ok: true, name: raw, repaired: false };
  const cut = withoutLeaks(raw);
  if (names.includes(cut)) return { ok: true, name: cut, repaired: true };
  const offered = names.find((name) => wireName(name) === cut);
  if (offered !== undefined) return { ok: true, name: offered, repaired: true };
  const hasLetters = noSeparator(cut) !== '';
  for (const fold of [sameSeparator, noSeparator]) {
    const wanted = fold(cut);
    const found = hasLetters ? names.filter((name) => fold(name) === wanted) : [];
    const [only] = found;
    if (only !== undefined && new Set(found).size === 1) return { ok: true, name: only, repaired: true };
    if (found.length > 1) {
      return { ok: false, message: `${shown(raw)} may mean ${found.map(shown).join(' or ')}: use the exact name` };
    }
  }
  return { ok: false, message: unknownName(raw, cut, names) };
}

function withoutLeaks(raw: string): string {
  return raw
    .replace(/<[|｜].*$/s, '')
    .trim()
    .replace(/^(?:to=)?functions\s*[./:]\s*/, '')
    .replace(/:\d+$/, '')
    .trim();
}

function sameSeparator(name: string): string {
  return name.toLowerCase().replace(/[-_.\s/]+/g, '_');
}

function noSeparator(name: string): string {
  return name.toLowerCase().replace(/[-_.\s/]+/g, '');
}

function unknownName(raw: string, cut: string, names: readonly string[]): string {
  const what = cut === '' ? 'the call names no tool' : `there is no tool ${shown(raw)}`;
  if (names.length === 0) return `${what}, and no tool is available`;
  const rest = names.length > listed ? ` and ${names.length - listed} more` : '';
  const nearest = cut === '' ? undefined : nearestName(cut, names);
  const suggestion = nearest === undefined ? '' : `; did you mean ${shown(nearest)}?`;
  return `${what}; available: ${names.slice(0, listed).join(', ')}${rest}${suggestion}`;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
