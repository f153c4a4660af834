import { hash } from 'node:crypto';

/** What every vendor accepts: a letter or underscore, then letters, digits, `_` and `-`, at most 64 (Gemini and OpenAI together). */
const accepted = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
/** The form of a coined name. A name that already has this form is coined too, so that no given name can meet a coined one. */
const coinedForm = /_[0-9a-f]{16}$/;
const slugLength = 47;

/**
 * The name a vendor is told for a name of ours: the same when every vendor accepts it, else a readable start with a
 * fingerprint of the whole name. It depends on the name alone, so a history keeps its bytes whatever tools are offered.
 */
export function wireName(name: string): string {
  if (accepted.test(name) && !coinedForm.test(name)) return name;
  const slug = name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, slugLength);
  const start = /^[a-zA-Z_]/.test(slug) ? slug : `_${slug.slice(0, slugLength - 1)}`;
  return `${start}_${hash('sha256', name, 'hex').slice(0, 16)}`;
}

/** What every vendor accepts of an id, and what Mistral alone does: nine letters and digits. */
type IdForm = 'any' | 'short';

/** An id of a tool call that a vendor accepts and that `taken` does not hold; a repeated or blank id gets a new one. */
export function wireCallId(id: string, taken: ReadonlySet<string>, form: IdForm = 'any'): string {
  const given = id.trim() === '' ? 'call' : id;
  for (let use = 1; ; use += 1) {
    const candidate = form === 'short' ? shortId(given, use) : longId(given, use);
    if (!taken.has(candidate)) return candidate;
  }
}

function longId(given: string, use: number): string {
  if (use > 1) return wireName(`${given} #${use}`);
  return /^[a-zA-Z0-9_-]{1,64}$/.test(given) ? given : wireName(given);
}

function shortId(given: string, use: number): string {
  if (use === 1 && /^[a-zA-Z0-9]{9}$/.test(given)) return given;
  const digest = BigInt(`0x${hash('sha256', `${given} #${use}`, 'hex').slice(0, 32)}`);
  return digest.toString(36).slice(-9);
}
