import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { type Answer, extrasOf, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { badName, geminiProblem } from './schema-checks.ts';

/** Gemini's generateContent. */
export const google: VendorProtocol = {
  refuse: (body) => toolProblem(body) ?? formatProblem(body) ?? contentProblem(asList(body['contents'])),
  whole: (answer) => chunk(partsOf(answer), lastOf(answer)),
  frames,
  error: (status, message) => ({ error: { code: status, message, status: statusName(status) } }),
  errorFrame: (message) => frame({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  tooLong: () => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'The input token count (9000) exceeds the maximum number of tokens allowed (4096).',
        status: 'INVALID_ARGUMENT',
      },
    },
  }),
};

function statusName(status: number): string {
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE';
}

const usageMetadata = {
  promptTokenCount: usage.input,
  cachedContentTokenCount: usage.cached,
  candidatesTokenCount: usage.output - usage.reasoning,
  thoughtsTokenCount: usage.reasoning,
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
  const calls = answer.type === 'tool-calls' ? callsOf(answer) : [];
  return [...thoughts(answer.reasoning), ...text, ...calls];
}

function thoughts(reasoning: string | undefined): object[] {
  return reasoning === undefined ? [] : [{ text: reasoning, thought: true, thoughtSignature: 'signed' }];
}

/** Gemini leaves an id out rather than sending a blank one. */
function callsOf({ calls }: Extract<Answer, { type: 'tool-calls' }>): object[] {
  return calls.map(({ id, name, args }) => ({ functionCall: { ...(id && { id }), name, args } }));
}

interface Last {
  finishReason: string;
  usageMetadata?: typeof usageMetadata;
}

/** Gemini has no refusal in words; it stops with a reason. */
function lastOf(answer: Answer): Last {
  const { cutOff, noUsage } = extrasOf(answer);
  const stopped =
    answer.type === 'refusal' ? 'PROHIBITED_CONTENT' : answer.type === 'content-filter' ? 'SAFETY' : 'STOP';
  return { finishReason: cutOff ? 'MAX_TOKENS' : stopped, ...(!noUsage && { usageMetadata }) };
}

function chunk(parts: object[], last?: Last): object {
  const { finishReason, ...counted } = last ?? {};
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) };
  return { responseId: 'response-1', candidates: [candidate], ...counted };
}

function frames(answer: Answer): Frames {
  const end = [frame(chunk([], lastOf(answer)))];
  if (answer.type === 'content-filter' || answer.type === 'refusal') return { content: [], end };
  const text = (answer.text ? pieces(answer.text) : []).map((piece) => ({ text: piece }));
  const calls = answer.type === 'tool-calls' ? callsOf(answer) : [];
  const parts = [...thoughts(answer.reasoning), ...text, ...calls];
  return { content: parts.map((part) => frame(chunk([part]))), end };
}
