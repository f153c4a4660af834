/** Tasks that expect calls, as those graded by the state they leave: a call that was made otherwise, or never. */
import { canonicalJson, type Json } from '../../../core/json.ts';
import type { Facts, Seen } from '../facts.ts';
import { firstOf, isFields, textOf } from '../read/fields.ts';
import { at, type TriageRule } from '../rule.ts';

interface ExpectedCall {
  tool: string;
  args: Json;
}

/** The calls that were expected, as `{ actions: [{ name, args }] }`, which may be none, or a list of them; else undefined. */
function expectedCalls(expected: Json | undefined): ExpectedCall[] | undefined {
  const named = isFields(expected) ? firstOf(expected, ['actions', 'calls', 'tool_calls']) : undefined;
  const listed = named ?? expected;
  if (!Array.isArray(listed) || (named === undefined && !listed.some(isFields))) return undefined;
  return listed.flatMap((call) => {
    const tool = isFields(call) ? textOf(call, ['name', 'tool']) : undefined;
    return tool === undefined || !isFields(call) ? [] : [{ tool, args: firstOf(call, ['args', 'arguments']) ?? {} }];
  });
}

/** Expected calls without an equal one, and the successful calls that equal none of the expected. */
function unmatched({ run, ok }: Facts): { missing: ExpectedCall[]; others: Seen[] } {
  const calls = expectedCalls(run.task.expected) ?? [];
  const keys = new Set(calls.map(({ tool, args }) => `${tool} ${canonicalJson(args)}`));
  return {
    missing: calls.filter(({ tool, args }) => !ok.some(({ key }) => key === `${tool} ${canonicalJson(args)}`)),
    others: ok.filter(({ key }) => !keys.has(key)),
  };
}

export const wrongArguments: TriageRule = {
  name: 'wrong-arguments',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    const { missing, others } = unmatched(facts);
    for (const { tool, args } of missing) {
      const [nearest] = others
        .filter(({ observation }) => observation.tool === tool)
        .map(({ observation }) => ({ observation, fields: differingFields(observation.args, args) }))
        .toSorted((a, b) => a.fields.length - b.fields.length);
      if (!nearest) continue;
      const { observation, fields } = nearest;
      return {
        why: `${tool} was called with other arguments than the task asks for: ${fields.join(', ')}.`,
        evidence: [at(observation.id, shown(observation.args, fields)), at('task.expected', shown(args, fields))],
      };
    }
    return undefined;
  },
};

export const neededCall: TriageRule = {
  name: 'needed-call-missing',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    const [call] = unmatched(facts).missing;
    if (!call) return undefined;
    return {
      why: `The task asks for a call of ${call.tool}, and it was never made.`,
      evidence: [at('task.expected', `${call.tool} ${JSON.stringify(call.args)}`)],
    };
  },
};

/** Verbs of tools that change something: a read more is no fault. */
const effect =
  /^(?:book|buy|cancel|change|create|delete|exchange|modify|move|order|pay|post|refund|remove|return|send|set|submit|transfer|update|write)/i;

export const uncalledFor: TriageRule = {
  name: 'call-not-asked-for',
  layer: 'act',
  symptom: 'tool-misuse',
  applies(facts) {
    if (!expectedCalls(facts.run.task.expected)) return undefined;
    const [call] = unmatched(facts).others.filter(({ observation }) => effect.test(observation.tool));
    if (!call) return undefined;
    const { id, tool, args } = call.observation;
    return {
      why: `${tool} changed something that the task does not ask for.`,
      evidence: [
        at(id, `${tool} ${JSON.stringify(args)}`),
        at('task.expected', JSON.stringify(facts.run.task.expected)),
      ],
    };
  },
};

function differingFields(made: unknown, expected: unknown): string[] {
  const names = new Set([...Object.keys(Object(made)), ...Object.keys(Object(expected))]);
  return [...names].filter((name) => canonicalJson(fieldOf(made, name)) !== canonicalJson(fieldOf(expected, name)));
}

function fieldOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

function shown(args: unknown, fields: readonly string[]): string {
  return fields.map((name) => `${name}: ${JSON.stringify(fieldOf(args, name)) ?? 'absent'}`).join(', ');
}
