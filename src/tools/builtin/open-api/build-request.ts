import type { Json } from '../../../core/json.ts';
import { pathProblem } from '../http/allow-list.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Operation } from './operations.ts';
import type { Place } from './parameters.ts';

type Arguments = Readonly<Record<string, Json>>;

/** The request for a call of the operation. Throws when a value would lead to another path. */
export function buildRequest(operation: Operation, server: string, args: Arguments): ApiRequest {
  const { method, parameters, bodyType } = operation;
  const given = parameters.flatMap((place) => {
    const value = Object.hasOwn(args, place.argument) ? args[place.argument] : undefined;
    return value === undefined || value === null ? [] : [{ place, value }];
  });
  const inPlace = (where: Place['in']): Given[] => given.filter(({ place }) => place.in === where);
  const query = inPlace('query').flatMap(queryPairs).join('&');
  const headers = inPlace('header').map(({ place, value }): [string, string] => [place.name, headerText(place, value)]);
  const body = bodyType !== undefined && Object.hasOwn(args, 'body') ? JSON.stringify(args['body']) : undefined;
  return {
    method,
    url: `${server.replace(/\/$/, '')}${filledPath(operation.path, inPlace('path'))}${query && `?${query}`}`,
    headers: {
      ...Object.fromEntries(headers),
      ...(body !== undefined && bodyType !== undefined && { 'content-type': bodyType }),
    },
    ...(body !== undefined && { body }),
  };
}

interface Given {
  place: Place;
  value: Json;
}

function filledPath(template: string, given: readonly Given[]): string {
  const filled = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const found = given.find(({ place }) => place.name === name);
    const text = found ? pathText(found) : '';
    if (text === '') throw new Error(`the path needs a value for ${name} that is not empty`);
    return text;
  });
  // Looked at as it is written here: `URL` would resolve the dots.
  const problem = pathProblem(filled);
  if (problem !== undefined) throw new Error(`a value for the path ${problem}: give a plain one`);
  return filled;
}

function pathText({ place, value }: Given): string {
  if (place.asJson) return encodeURIComponent(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(encoded).join(',');
  if (typeof value === 'object' && value !== null)
    return pairs(value)
      .map((pair) => pair.join(place.explode ? '=' : ','))
      .join(',');
  return encoded(value);
}

function queryPairs({ place, value }: Given): string[] {
  const name = encodeURIComponent(place.name);
  if (place.asJson || typeof value !== 'object' || value === null) {
    return [`${name}=${place.asJson ? encodeURIComponent(JSON.stringify(value)) : encoded(value)}`];
  }
  if (Array.isArray(value)) {
    const items = value.map(encoded);
    return place.explode
      ? items.map((item) => `${name}=${item}`)
      : [`${name}=${items.join(separators[place.style] ?? ',')}`];
  }
  if (place.style === 'deepObject') return pairs(value).map(([key, item]) => `${name}%5B${key}%5D=${item}`);
  return place.explode ? pairs(value).map((pair) => pair.join('=')) : [`${name}=${pairs(value).flat().join(',')}`];
}

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

function pairs(value: Readonly<Record<string, Json>>): [string, string][] {
  return Object.entries(value).map(([key, item]) => [encodeURIComponent(key), encoded(item)]);
}

function encoded(value: Json): string {
  return encodeURIComponent(typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
}

function headerText({ asJson }: Place, value: Json): string {
  const text = asJson || (typeof value === 'object' && !Array.isArray(value)) ? JSON.stringify(value) : String(value);
  // Node refuses line breaks; other characters than these cannot be sent either.
  return text.replace(/[^\t\x20-\x7e]/g, (char) => encodeURIComponent(char));
}
