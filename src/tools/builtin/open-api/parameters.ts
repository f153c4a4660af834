import type { JsonSchema } from '../../../core/json.ts';
import { objectOf, shortText, textOf } from './document.ts';
import type { SchemaTranslation } from './schemas.ts';

/** Where an argument of the tool goes in the request. */
export interface Place {
  argument: string;
  name: string;
  in: 'path' | 'query' | 'header';
  style: string;
  explode: boolean;
  /** The value is sent as JSON text. */
  asJson: boolean;
}

export interface Argument {
  place: Place;
  schema: JsonSchema;
  required: boolean;
}

/** `unusable`: an operation that requires it cannot be called. */
export type Parameter =
  | { type: 'argument'; argument: Argument }
  | { type: 'ignored' }
  | { type: 'unusable'; why: string };

/** Headers that say what a request is or who sends it are not the model's, and `Idempotency-Key` is sent with every call. */
const ownHeaders = new RegExp(
  `^(?:${[
    'accept',
    'authorization',
    'connection',
    'content-.*',
    'cookie',
    'expect',
    'forwarded',
    'host',
    'idempotency-key',
    'keep-alive',
    'proxy-.*',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'via',
    'x-forwarded-.*',
    'x-(?:http-)?method(?:-override)?',
    'x-(?:original|rewrite)-url',
    'x-real-ip',
  ].join('|')})$`,
  'i',
);

export function readParameter(parameter: JsonSchema, translation: SchemaTranslation): Parameter {
  const name = textOf(parameter['name']) ?? '';
  const where = textOf(parameter['in']);
  if (where === 'header' && ownHeaders.test(name)) return { type: 'ignored' };
  const required = parameter['required'] === true || where === 'path';
  const unusable = (why: string): Parameter => (required ? { type: 'unusable', why } : { type: 'ignored' });
  if (where !== 'path' && where !== 'query' && where !== 'header') {
    return unusable(`its parameter ${name} is in ${where}`);
  }
  const style = textOf(parameter['style']) ?? (where === 'query' ? 'form' : 'simple');
  if (where !== 'query' && style !== 'simple') return unusable(`its parameter ${name} has the style ${style}`);
  const content = objectOf(Object.values(objectOf(parameter['content']) ?? {})[0]);
  const schema = translation.translate((content ?? parameter)['schema']);
  const place: Place = {
    argument: name,
    name,
    in: where,
    style,
    explode: typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form',
    asJson: content !== undefined,
  };
  return { type: 'argument', argument: { place, schema: withDescription(schema, parameter), required } };
}

/** The schema with the description of what it belongs to, which says more than its own. */
export function withDescription(schema: JsonSchema, owner: JsonSchema): JsonSchema {
  const text = textOf(owner['description']);
  return text === undefined ? schema : { ...schema, description: shortText(text, 300) };
}

/** With argument names that every provider takes, none of them twice and none of them `body`. */
export function namedApart(found: readonly Argument[]): Argument[] {
  const taken = new Set(['body']);
  return found.map(({ place, ...rest }) => {
    const plain = place.name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 50) || place.in;
    const names = [plain, `${plain}_${place.in}`, ...Array.from(found, (_, index) => `${plain}_${index + 2}`)];
    const argument = names.find((name) => !taken.has(name)) ?? plain;
    taken.add(argument);
    return { ...rest, place: { ...place, argument } };
  });
}
