/**
 * A simple scan of what a server says of its tools. It warns a person; it decides nothing, since a description that is clean
 * by these words may still mislead.
 */
import type { Json } from '../../../core/json.ts';
import type { ToolDefinition } from './definition.ts';
import { hasHidden, shortened, visibleLine, withoutHidden } from './texts.ts';

/** Each looks at a bounded stretch, so that no text takes long. */
const signs: readonly [string, RegExp][] = [
  [
    'it gives orders about instructions',
    /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies))\b/is,
  ],
  ['it gives orders about instructions', /(?:忽略|无视|忘记|不要遵守).{0,20}(?:指令|提示|规则|要求)/s],
  [
    'it asks to keep something from the user',
    /\b(?:do not|don't|never|without)\b.{0,20}\b(?:mention|tell|telling|inform|informing|reveal|show|notify|notifying|ask|asking)\b/is,
  ],
  ['it asks to keep something from the user', /(?:不要|不得|请勿|别).{0,6}(?:告诉|告知|提及|透露|通知).{0,10}用户?/s],
  [
    'it asks for other calls around its own',
    /\b(?:before|after|first|always|instead of|prior to|whenever)\b.{0,60}\b(?:call|calling|use|using|invoke|run|read|send|include|attach|pass)\b/is,
  ],
  [
    'it speaks to the model',
    /\b(?:you must|you should always|as an ai|assistant|system prompt|important:|mandatory)\b/i,
  ],
  [
    'it has the tags or tokens of a prompt',
    /<\/?(?:important|system|instructions?|secret|admin|user|assistant|tools?)\b|<[|｜]|\[\/?INST\]/i,
  ],
  [
    'it speaks of secrets',
    /\.ssh\b|\bid_(?:rsa|ed25519)\b|\.env\b|\.aws\b|\.netrc\b|\.npmrc\b|\bmcp\.json\b|\b(?:api[ _-]?keys?|passwords?|credentials?|private keys?|access tokens?|secrets?|cookies?)\b|密码|密钥|令牌/i,
  ],
  ['it has a long run of encoded text', /[A-Za-z0-9+/=]{120}/],
];

/** A word with an underscore, as tools are called. */
const toolWord = /\b(?:[a-z0-9]+_[a-z0-9_]+|[a-z]+(?:[A-Z][a-z]+)+)\b/g;

/** What a person should look at before this tool is trusted, each in a few words with the place it stands. */
export function suspicions(definition: ToolDefinition, ownTools: ReadonlySet<string>): string[] {
  const { name: _name, ...said } = definition;
  const found = textsOf(said as Json, '').flatMap(({ at, text }) => [
    ...(hasHidden(text) ? [`hidden characters in ${at}`] : []),
    ...signsIn(withoutHidden(text)).map((sign) => `${sign} (${at})`),
  ]);
  return [...new Set([...found, ...foreignTools(definition, ownTools)])].slice(0, 20);
}

function signsIn(text: string): string[] {
  return signs.flatMap(([what, pattern]) => {
    const match = pattern.exec(text);
    return match ? [`${what}: "${visibleLine(match[0], 80)}"`] : [];
  });
}

/** Names like those of tools that are neither this server's nor the tool's own parameters. */
function foreignTools(definition: ToolDefinition, ownTools: ReadonlySet<string>): string[] {
  const schemas = JSON.stringify([definition.inputSchema, definition.outputSchema ?? null]);
  const words = withoutHidden(definition.description).match(toolWord) ?? [];
  const foreign = [...new Set(words)].filter((word) => !ownTools.has(word) && !schemas.includes(`"${word}"`));
  return foreign.length === 0
    ? []
    : [`it names what may be other tools: ${shortened(foreign.slice(0, 8).join(', '), 200)}`];
}

function textsOf(value: Json, at: string): { at: string; text: string }[] {
  if (typeof value === 'string') return [{ at: visibleLine(at, 80), text: value }];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = at === '' ? key : `${at}.${key}`;
    return [
      ...(Array.isArray(value) ? [] : [{ at: visibleLine(`the name ${inner}`, 80), text: key }]),
      ...textsOf(item, inner),
    ];
  });
}
