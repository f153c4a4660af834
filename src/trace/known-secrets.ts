/** A name part that marks the value of an environment variable as secret. `AUTHOR` and `KEYBOARD` are none. */
const secretNamePart = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|AUTH)S?(?=$|[_.-])/i;
const switchValue = /^(?:true|false|enabled|disabled|required|optional|undefined|default|\s*)$/i;
const pathValue = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/;
/** A path segment no human would choose: base64 may begin with a slash. */
const randomSegment = /(?=[^\\/]*[a-z])(?=[^\\/]*[A-Z])(?=[^\\/]*\d)[A-Za-z0-9+=]{16,}/;
const addressValue = /^[a-z][a-z0-9+.-]*:\/\//i;
const leastEnvLength = 8;
const leastLength = 4;
/** A shorter piece of base64 is too likely to stand in innocent text. */
const leastBase64 = 8;

/** The secret values an environment and a caller name, without repeats. */
export function secretsOf(env: NodeJS.ProcessEnv, explicit: readonly string[]): string[] {
  const found = new Set(explicit.filter((value) => value.length >= leastLength));
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && secretNamePart.test(name) && isSecretValue(value)) found.add(value);
  }
  return [...found];
}

function isSecretValue(value: string): boolean {
  if (value.length < leastEnvLength || switchValue.test(value)) return false;
  if (pathValue.test(value) && !randomSegment.test(value)) return false;
  return !addressValue.test(value);
}

export interface KnownForms {
  /** Matches every form of every secret, the longest first; global. */
  all: RegExp;
  /** Cheap: false means that no form stands in the text. */
  mayHold(text: string): boolean;
}

/** The forms in which the secrets can stand in a text, or nothing when there are none. */
export function knownForms(secrets: readonly string[]): KnownForms | undefined {
  const forms = new Set(secrets.flatMap(formsOf));
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const all = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  // A form that contains another cannot be there without it.
  const shortest = longestFirst.filter((form) => !longestFirst.some((other) => other !== form && form.includes(other)));
  return { all, mayHold: (text) => shortest.some((form) => text.includes(form)) };
}

/** The text as a pattern that matches exactly it. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replaceAll(
    /[^\x00-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const twice = JSON.stringify(json).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  const strict = url.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strict, url.replaceAll('%20', '+'), strict.replaceAll('%20', '+'), url.replaceAll('%2F', '/')];
  const lower = urls.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  return [secret, json, json.replaceAll('/', '\\/'), ascii, twice, ...urls, ...lower, ...base64Forms(secret)];
}

/**
 * The secret alone, and the part that is the same wherever it stands in a longer encoded text: each alignment to three bytes
 * has its own, without the letters that also depend on the bytes before and after.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.toString('base64');
  const aligned = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = Math.ceil((offset * 8) / 6);
    return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [whole, ...aligned]
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_'), form.replaceAll('=', '')])
    .filter((form) => form.length >= leastBase64);
}
