/** Reading of an OpenAPI document and of the references inside it. Whatever is not as the specification says counts as absent. */
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { messageOf, UsageError } from '../../../core/errors.ts';
import type { Json, JsonSchema } from '../../../core/json.ts';

/** The document from a file (JSON or YAML) or as it is. Throws `UsageError` for what is no OpenAPI 3.0 or 3.1. */
export async function readOpenApi(source: string | JsonSchema): Promise<JsonSchema> {
  const document = typeof source === 'string' ? await parsed(source) : source;
  const version = objectOf(document)?.['openapi'];
  if (typeof version === 'string' && /^3\.[01](?:\.|$)/.test(version)) return objectOf(document) ?? {};
  throw new UsageError(
    'the document is no OpenAPI 3.0 or 3.1 (its field "openapi" says so): convert older ones, for example with swagger2openapi',
  );
}

async function parsed(file: string): Promise<Json> {
  const name = path.basename(file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`the OpenAPI document ${name} cannot be read: ${messageOf(error)}`);
  });
  try {
    // Both parsers give JSON values.
    return text.trimStart().startsWith('{') ? (JSON.parse(text) as Json) : ((await yaml()).parse(text) as Json);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the OpenAPI document ${name} is neither JSON nor YAML: ${messageOf(error)}`);
  }
}

async function yaml(): Promise<typeof import('yaml')> {
  return import('yaml').catch(() => {
    throw new UsageError(
      'an OpenAPI document in YAML needs the package yaml: run npm install yaml, or give it as JSON',
    );
  });
}

export function objectOf(value: Json | undefined): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Text on one line, cut at a length. */
export function shortText(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line;
}

const mostReferences = 32;

/** The object that is meant: itself, or what its `$ref` leads to. Throws `UsageError` for references out of the document. */
export function resolved(document: JsonSchema, value: Json | undefined): JsonSchema | undefined {
  let found = objectOf(value);
  for (let count = 0; count < mostReferences; count++) {
    const reference = textOf(found?.['$ref']);
    if (reference === undefined) return found;
    found = objectOf(pointed(document, reference));
  }
  throw new UsageError('the OpenAPI document has references that lead in a circle: mend it');
}

/** What a local reference leads to. */
export function pointed(document: JsonSchema, reference: string): Json | undefined {
  if (!reference.startsWith('#')) {
    throw new UsageError(
      `the OpenAPI document refers to "${shortText(reference, 100)}": bundle it into one file, for example with npx @redocly/cli bundle`,
    );
  }
  let target: Json | undefined = document;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else {
      const object = objectOf(target);
      target = object && Object.hasOwn(object, key) ? object[key] : undefined;
    }
  }
  return target;
}
