import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { type Answer, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { badName, geminiProblem } from './schema-checks.ts';

/** Gemini's generateContent. */
export const google: VendorProtocol = {
  name: 'google',
  refuse: (body) => toolProblem(body) ?? formatProblem(body) ?? contentProblem(asList(body['contents'])),
  whole: (answer) => chunk(partsOf(answer), finishOf(answer)),
  frames,
  error: (status, message) => ({ error: { code: status, message, status: statusName(status) } }),
  errorFrame: (message) => frame({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
};

function statusName(status: number): string {
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE';
}

const usageMetadata = {
  promptTokenCount: usage.input,
  cachedContentTokenCount: usage.cached,
  candidatesTokenCount: usage.output,
  totalTokenCount: usage.input + usage.output,
};

function toolProblem(body: JsonSchema): string | undefined {
  const declared = asList(body['tools']).flatMap((tool) => asList(asSchema(tool)?.['functionDeclarations']));
  for (const declaration of declared.map((value) => asSchema(value) ?? {})) {
    const problem = badName(declaration['name']) ?? geminiProblem(declaration['parametersJsonSchema']);
    if (problem) return `tools: ${problem}`;
  }
  return undefined;
}

function formatProblem(body: JsonSchema): string | undefined {
  return geminiProblem(asSchema(body['generationConfig'])?.['responseJsonSchema']);
}

function contentProblem(contents: Json[]): string | undefined {
  let calls: JsonSchema[] = [];
  for (const content of contents.map((value) => asSchema(value) ?? {})) {
    const parts = asList(content['parts']).map((part) => asSchema(part) ?? {});
    const responses = parts.filter((part) => 'functionResponse' in part);
    if (parts.length === 0) return 'contents.parts must not be empty';
    if (responses.length !== calls.length) {
      return 'the number of function response parts must equal the number of function call parts of the function call turn';
    }
    calls = parts.map((part) => asSchema(part['functionCall'])).filter((call) => call !== undefined);
    const problem = calls.map(
      (call) => badName(call['name']) ?? (asSchema(call['args']) ? undefined : 'args must be a struct'),
    );
    const first = problem.find((found) => found !== undefined);
    if (first) return first;
  }
  return calls.length > 0 ? 'a function call turn must be followed by a function response turn' : undefined;
}

function partsOf(answer: Answer): object[] {
  if (answer.type === 'content-filter' || answer.type === 'refusal') return [];
  const text = answer.text === undefined ? [] : [{ text: answer.text }];
  if (answer.type === 'text') return text;
  return [...text, ...answer.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))];
}

/** Gemini has no refusal in words; it stops with a reason. */
function finishOf(answer: Answer): string {
  if (answer.type === 'refusal') return 'PROHIBITED_CONTENT';
  return answer.type === 'content-filter' ? 'SAFETY' : 'STOP';
}

function chunk(parts: object[], finishReason?: string): object {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) };
  return { responseId: 'response-1', candidates: [candidate], ...(finishReason && { usageMetadata }) };
}

function frames(answer: Answer): Frames {
  const end = [frame(chunk([], finishOf(answer)))];
  if (answer.type === 'content-filter' || answer.type === 'refusal') return { content: [], end };
  const text = pieces(answer.text ?? '').map((piece) => frame(chunk([{ text: piece }])));
  if (answer.type === 'text') return { content: text, end };
  const calls = answer.calls.map((call) => frame(chunk([{ functionCall: call }])));
  return { content: [...(answer.text ? text : []), ...calls], end };
}
