import { UsageError } from '../../core/errors.ts';
import type { Json, JsonSchema } from '../../core/json.ts';
import { jsonSchemaInput } from '../json-schema-input.ts';
import { type Tool, tool } from '../tool.ts';
import { allowedUrl } from './http/allow-list.ts';
import { ApiClient, type HttpOptions, touchedBy } from './http/client.ts';
import type { LeftOut, Operation } from './open-api/operations.ts';

export interface OpenApiOptions extends HttpOptions {
  /** Only these, by `operationId` or as `GET /items/{id}`. Default: all, if there are not more than 100. */
  operations?: readonly string[];
  /** Instead of the servers of the document: `https://api.example.com/v2`. */
  server?: string;
}

const mostTools = 100;

/**
 * Tools for the operations of an OpenAPI document (3.0 or 3.1; a file of JSON or YAML, or its content), named by `operationId`,
 * with parameters and body as arguments. GET and HEAD only read. Requests go the way of `http`: to the allow list only, with
 * the user's headers. Arguments cannot change the path: parts such as `..` are refused, however they are encoded.
 *
 * References have to be local. Operations that need a cookie, a body other than JSON or a rare path style, or whose server is
 * not allowed, are left out. Rejects with `UsageError` for a document that cannot be used, for more than 100 operations, and
 * for one that is named in `operations` and cannot be a tool.
 */
export async function openApi(document: string | JsonSchema, options: OpenApiOptions): Promise<Tool[]> {
  const [{ readOpenApi }, { operationsOf }] = await Promise.all([
    import('./open-api/document.ts'),
    import('./open-api/operations.ts'),
  ]);
  const client = new ApiClient(options);
  const found = operationsOf(await readOpenApi(document)).map((operation) => judged(operation, client, options.server));
  const chosen = options.operations ? named(found, options.operations) : found.filter(isUsable);
  if (chosen.length > mostTools) {
    throw new UsageError(
      `the document has ${chosen.length} operations, too many for a model: choose some with "operations"`,
    );
  }
  if (chosen.length === 0) {
    const why = found
      .map(({ id, why: reason }) => `${id}: ${reason}`)
      .slice(0, 5)
      .join('; ');
    throw new UsageError(`no operation of the document can be a tool (${why || 'it has none'})`);
  }
  const names = toolNames(chosen);
  return chosen.map((operation, index) => operationTool(operation, names[index] ?? operation.id, client));
}

type Judged = (Usable & { why?: undefined }) | LeftOut;
type Usable = Operation & { server: string };

function isUsable(operation: Judged): operation is Usable {
  return operation.why === undefined;
}

function judged(operation: Operation | LeftOut, client: ApiClient, server: string | undefined): Judged {
  if ('why' in operation) return operation;
  const { id, method, path } = operation;
  const leftOut = (why: string): LeftOut => ({ id, method, path, why });
  if (client.effectOf(method) === undefined) return leftOut(`the option "methods" takes ${method} away`);
  const base = server ?? operation.server;
  if (base === undefined || !URL.canParse(base)) return leftOut('the document names no full server URL; set "server"');
  try {
    allowedUrl(base.replace(/\/$/, '') + path.replace(/\{[^{}]*\}/g, 'x'), client.places);
    return { ...operation, server: base };
  } catch {
    return leftOut(`its server is not in "allow": ${base}`);
  }
}

function named(found: readonly Judged[], wanted: readonly string[]): Usable[] {
  return wanted.map((name) => {
    const operation = found.find(({ id, method, path }) => id === name || `${method} ${path}` === name);
    if (!operation) throw new UsageError(`operations: the document has no "${name}"`);
    if (isUsable(operation)) return operation;
    throw new UsageError(`operations: "${name}" cannot be a tool: ${operation.why}`);
  });
}

/** By operationId: characters and lengths that every provider takes, none of them twice. */
function toolNames(operations: readonly Operation[]): string[] {
  const taken = new Set<string>();
  return operations.map(({ id }) => {
    const plain =
      id
        .replace(/[^A-Za-z0-9_-]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, 60) || 'operation';
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
    taken.add(name);
    return name;
  });
}

function operationTool(operation: Usable, name: string, client: ApiClient): Tool {
  const effect = client.effectOf(operation.method) ?? 'irreversible';
  const touched = touchedBy(operation.server);
  return tool({
    name,
    description: operation.description,
    input: jsonSchemaInput(operation.schema),
    effect,
    timeoutMs: client.toolTimeoutMs,
    markup: 'source',
    touches: () => touched,
    run: async (args, { signal, idempotencyKey }) => {
      const { buildRequest } = await import('./open-api/build-request.ts');
      // What the schema of an object has accepted.
      const request = buildRequest(operation, operation.server, args as Record<string, Json>);
      const headers = effect === 'read' ? request.headers : { ...request.headers, 'idempotency-key': idempotencyKey };
      return client.call({ ...request, headers }, signal);
    },
  });
}
