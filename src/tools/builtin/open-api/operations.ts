import type { Json, JsonSchema } from '../../../core/json.ts';
import type { Method } from '../http/request.ts';
import { listOf, objectOf, resolved, shortText, textOf } from './document.ts';
import { type Argument, namedApart, type Place, readParameter, withDescription } from './parameters.ts';
import { SchemaTranslation } from './schemas.ts';

/** An operation of a document, ready to be a tool. */
export interface Operation {
  id: string;
  method: Method;
  path: string;
  description: string;
  /** Of its arguments. */
  schema: JsonSchema;
  parameters: Place[];
  /** The media type of the JSON body. */
  bodyType: string | undefined;
  server: string | undefined;
}

/** An operation that no tool can be made of. */
export interface LeftOut {
  id: string;
  method: Method;
  path: string;
  why: string;
}

const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const maxDescription = 600;
/** Of a schema as JSON: the model is shown it with every request. */
const maxSchema = 8_000;
/** Levels of a schema that are tried in turn; what lies deeper accepts anything. */
const depths = [60, 8, 5, 3, 2];

/** Every operation of the document in its order. */
export function operationsOf(document: JsonSchema): (Operation | LeftOut)[] {
  return Object.entries(objectOf(document['paths']) ?? {}).flatMap(([path, item]) => {
    const shared = resolved(document, item) ?? {};
    return methods.flatMap((method) => {
      const operation = objectOf(shared[method.toLowerCase()]);
      return operation ? [operationOf(document, { method, path, shared, operation })] : [];
    });
  });
}

interface Found {
  method: Method;
  path: string;
  /** The path item. */
  shared: JsonSchema;
  operation: JsonSchema;
}

/** With its schema as deep as fits. */
function operationOf(document: JsonSchema, found: Found): Operation | LeftOut {
  for (const depth of depths) {
    const operation = atDepth(document, found, depth);
    if ('why' in operation || JSON.stringify(operation.schema).length <= maxSchema) return operation;
  }
  return atDepth(document, found, 0);
}

function atDepth(document: JsonSchema, found: Found, depth: number): Operation | LeftOut {
  const { method, path, shared, operation } = found;
  const id = textOf(operation['operationId']) ?? `${method.toLowerCase()}${path}`;
  const translation = new SchemaTranslation(document, depth);
  const parameters = parametersOf(document, found).map((parameter) => readParameter(parameter, translation));
  const body = bodyOf(document, operation, translation);
  const why = parameters.find((parameter) => parameter.type === 'unusable')?.why ?? body.problem;
  if (why !== undefined) return { id, method, path, why };
  const usable = namedApart(
    parameters.flatMap((parameter) => (parameter.type === 'argument' ? [parameter.argument] : [])),
  );
  return {
    id,
    method,
    path,
    description: describe(found),
    schema: inputSchema(usable, body, translation.definitions),
    parameters: usable.map(({ place }) => place),
    bodyType: body.type,
    server: serverOf(operation) ?? serverOf(shared) ?? serverOf(document),
  };
}

function describe({ method, path, operation }: Found): string {
  const texts = [textOf(operation['summary']), textOf(operation['description'])].filter((text) => text !== undefined);
  const old = operation['deprecated'] === true ? ' (deprecated)' : '';
  return shortText(`${method} ${path}${old}: ${texts.join(' — ')}`.replace(/: $/, ''), maxDescription);
}

/** Those of the path and of the operation, which win. */
function parametersOf(document: JsonSchema, { shared, operation }: Found): JsonSchema[] {
  const all = [...listOf(shared['parameters']), ...listOf(operation['parameters'])]
    .map((parameter) => resolved(document, parameter))
    .filter((parameter) => parameter !== undefined);
  return [...new Map(all.map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter])).values()];
}

interface Body {
  type?: string;
  schema?: JsonSchema;
  required: boolean;
  problem?: string;
}

function bodyOf(document: JsonSchema, operation: JsonSchema, translation: SchemaTranslation): Body {
  const body = resolved(document, operation['requestBody']);
  if (!body) return { required: false };
  const required = body['required'] === true;
  const contents = Object.entries(objectOf(body['content']) ?? {});
  const [type, content] = contents.find(([name]) => /^application\/(?:[\w.-]+\+)?json\b/i.test(name)) ?? [];
  if (type === undefined) {
    const types = contents.map(([name]) => name).join(', ');
    return required
      ? { required, problem: `its body is ${shortText(types, 100)}, and only JSON can be sent` }
      : { required };
  }
  const schema = translation.translate(objectOf(content)?.['schema']);
  return { type, required, schema: withDescription(schema, body) };
}

function inputSchema(found: readonly Argument[], body: Body, definitions: JsonSchema): JsonSchema {
  const properties: JsonSchema = Object.fromEntries(found.map(({ place, schema }) => [place.argument, schema]));
  const required: Json[] = found.filter((argument) => argument.required).map(({ place }) => place.argument);
  if (body.schema) properties['body'] = body.schema;
  if (body.schema && body.required) required.push('body');
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

/** The first server, with the defaults of its variables. */
function serverOf(place: JsonSchema): string | undefined {
  const server = objectOf(listOf(place['servers'])[0]);
  const variables = objectOf(server?.['variables']) ?? {};
  return textOf(server?.['url'])?.replace(
    /\{([^{}]+)\}/g,
    (whole, name: string) => textOf(objectOf(variables[name])?.['default']) ?? whole,
  );
}
