/**
 * What secrets look like, as data. Every pattern is linear: a start that may occur often is followed by bounded repeats, and
 * an unbounded repeat starts only where its run of characters starts.
 */

interface Shape {
  kind: string;
  source: string;
  /** Every match holds what `longTail` matches. */
  tailed?: true;
}

/** What all `tailed` shapes have in common; few texts have it, so one search rules out all of them. */
export const longTail: RegExp = /[_-][\w-]{16}/;

/** The kinds of credentials that can be told by their form alone. What group 1 matches stays, the rest is replaced. */
export const shapes: readonly Shape[] = [
  { kind: 'api-key', source: '(?<![\\w-])sk-(?=[A-Za-z_-]{0,40}\\d)[A-Za-z0-9_-]{16,}', tailed: true },
  {
    kind: 'api-key',
    tailed: true,
    source: '(?<![\\w-])(?:gsk_|xai-|pplx-|r8_|hf_|npm_|glpat-|[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9_-]{16,}',
  },
  { kind: 'google-key', source: 'AIza[A-Za-z0-9_-]{30,}' },
  { kind: 'github-token', source: '(?:gh[opsur]_|github_pat_)[A-Za-z0-9_]{20,}', tailed: true },
  { kind: 'slack-token', source: 'xox[a-z]-[A-Za-z0-9-]{10,}' },
  { kind: 'aws-key', source: 'A[KS]IA[A-Z0-9]{16}' },
  { kind: 'jwt', source: '(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?' },
  {
    kind: 'private-key',
    source:
      '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\s|\\\\[nrt])*[A-Za-z0-9+/=]{16,})*)',
  },
  { kind: 'userinfo', source: '(://)[^\\s/@:"\'<>]{0,80}:[^\\s/"\'<>]{1,256}(?=@[^\\s/@"\'<>])' },
  {
    kind: 'auth-header',
    source: '(\\b[Bb](?:earer|asic|EARER|ASIC)\\s{1,3})(?=[\\w.~+/-]{0,60}[\\d=])[\\w.~+/-]{8,}={0,2}',
  },
];

const separator = '[_-]?';
/** Names whose value is a secret, wherever they stand in a longer name: `DB_PASSWORD`, `x-api-key`, `clientSecret`. */
const secretNames = [
  `pass(?:word|wd|phrase|code)`,
  `pwd`,
  `(?:client|app|shared|signing|webhook|session|consumer)${separator}secret`,
  `secret${separator}(?:access${separator})?key`,
  `(?:api|private|access|account|encryption|signing|storage|master|subscription)${separator}key`,
  `(?:access|auth|refresh|bearer|session|security|id|api|bot|secret)${separator}token`,
  `authorization`,
  `credentials?`,
  `密码|口令|密钥|令牌`,
].join('|');
/** Names that mean a secret only when they stand alone or end an environment variable: `nextPageToken` is none. */
const loneNames = '(?<![A-Za-z])(?<!page[_-]|next[_-]|cursor[_-]|csrf[_-])(?:token|secret|auth|x-amz-signature)';

/** A field whose whole value is a secret. */
export const secretField: RegExp = new RegExp(`(?:${secretNames}|${loneNames})$`, 'i');

/** The value of `name=value`, `name: value` and `"name": "value"`, in plain text and in JSON that was escaped once more. */
export const namedValue: string = [
  `(?<=(?:${secretNames}|${loneNames}|[?&](?:key|sig|signature|code))["'\\]\\\\]{0,5}\\s{0,3})`,
  '([:=：]{1,2}>?\\s{0,3})',
  '(?:(\\\\{1,3}["\'])([^"\'\\\\\\r\\n]{1,2000})|(")((?:[^"\\\\\\r\\n]|\\\\.){1,2000})|(\')((?:[^\'\\\\\\r\\n]|\\\\.){1,2000})|',
  '([^\\s"\'\\\\&;,<>(){}，。；、（）\\[\\]]{3,2000}(?:(?<=bearer|basic|token|digest) [^\\s"\'\\\\&;,<>(){}，。；、（）\\[\\]]{3,2000})?))',
].join('');

/** A value that only points to where the secret is, or says what it has to look like. */
export const reference: RegExp =
  /^(?:\$|%[\w]+%$|<|\{\{|\*+$|x+$|\.{3}|process\.env|os\.environ|import\.meta|env[.[(]|getenv|config\.|settings\.|self\.|this\.|null$|none$|nil$|undefined$|true$|false$|string$|str$|number$|required$|optional$|redacted$|bearer$|basic$)/i;

/** Without quotes and after a colon this is a word of prose, not a value. */
export const looksLikeProse: RegExp = /^\p{L}{1,7}[.!?]?$|[\p{scx=Han}\p{scx=Hira}\p{scx=Hang}]/u;
