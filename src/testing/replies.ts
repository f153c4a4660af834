import type { Claim } from '../core/attempt.ts';
import type { Json } from '../core/json.ts';
import type { ScriptedDetail } from '../model/providers/script-format.ts';

/** A scripted reply that calls one tool. */
export function callTool(tool: string, input: Json = {}): ScriptedDetail {
  return { calls: [{ tool, input }] };
}

/** A scripted reply that calls several tools in one turn. */
export function callTools(...calls: [tool: string, input: Json][]): ScriptedDetail {
  return { calls: calls.map(([tool, input]) => ({ tool, input })) };
}

/** A scripted reply that ends the loop. */
export function callFinal(answer: string, claims: Claim[] = []): ScriptedDetail {
  const plain = claims.map(({ text, evidence }) => ({ text, evidence: evidence.map((item) => ({ ...item })) }));
  return { calls: [{ tool: 'final', input: { answer, claims: plain } }] };
}
