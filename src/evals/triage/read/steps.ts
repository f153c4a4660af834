/** ReAct traces: thought, action, observation; as objects or as the text that the paper prints. */
import type { Observation } from '../../../core/attempt.ts';
import type { Json } from '../../../core/json.ts';
import { type Fields, firstOf, isFields, textOf } from './fields.ts';
import { argumentsOf, pastedObservation } from './observations.ts';

/** What the steps of a trace come to. `invalid`: actions that were none. */
export interface Traced {
  observations: Observation[];
  answer?: string | undefined;
  invalid: string[];
}

const finishing = /^(?:finish|final|answer|submit|final_answer|respond)$/i;

/** Reads steps; the action that finishes gives the answer, and what was said of it is no observation. */
export function readSteps(steps: readonly Json[]): Traced {
  const traced: Traced = { observations: [], invalid: [] };
  for (const step of steps) {
    if (!isFields(step)) continue;
    const action = actionOf(step);
    const content = textOf(step, ['observation', 'result', 'output', 'tool_output']) ?? '';
    if (!action) {
      const said = textOf(step, ['action']);
      if (said !== undefined) traced.invalid.push(said);
    } else if (finishing.test(action.tool)) traced.answer = inputOf(action.args);
    else if (/^\s*invalid action/i.test(content)) traced.invalid.push(`${action.tool}: ${content}`);
    else traced.observations.push(pastedObservation(traced.observations.length + 1, { ...action, content }));
  }
  return traced;
}

interface Action {
  tool: string;
  args: Json;
}

function actionOf(step: Fields): Action | undefined {
  const action = firstOf(step, ['action', 'tool_call', 'call', 'tool', 'name']);
  if (isFields(action)) {
    const tool = textOf(action, ['tool', 'name', 'function', 'type']);
    return tool === undefined
      ? undefined
      : { tool, args: argumentsOf(firstOf(action, ['args', 'arguments', 'input', 'parameters'])) };
  }
  if (typeof action !== 'string') return undefined;
  const separate = firstOf(step, ['args', 'arguments', 'action_input', 'input']);
  if (separate !== undefined) return { tool: action.trim(), args: argumentsOf(separate) };
  return writtenAction(action);
}

/** `Search[Eiffel Tower]` of the paper, `search(query)` and `search: query`. */
function writtenAction(text: string): Action | undefined {
  const match =
    /^\s*(?:action\s*\d*\s*[:：]\s*)?([\p{L}_][\p{L}\p{N}_-]*)\s*(?:\[([\s\S]*)\]|\(([\s\S]*)\)|[:：]\s*([\s\S]+))\s*\.?\s*$/iu.exec(
      text,
    );
  const [, tool, ...inputs] = match ?? [];
  return tool === undefined
    ? undefined
    : { tool, args: argumentsOf(inputs.find((input) => input !== undefined) ?? '') };
}

function inputOf(args: Json): string | undefined {
  const value = isFields(args) ? firstOf(args, ['input', 'answer', 'text', 'result']) : args;
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return text.trim() === '' ? undefined : text;
}

const label =
  /^[ \t]*(thought|action input|action|observation|final answer|思考|行动输入|行动|观察|最终答案)[ \t]*\d*[ \t]*[:：]/gimu;

/** The same from one text with labelled lines; undefined for a text that has none. */
export function readTraceText(text: string): Traced | undefined {
  const marks = [...text.matchAll(label)];
  if (marks.length === 0) return undefined;
  const steps: { [key: string]: Json }[] = [];
  let step: { [key: string]: Json } = {};
  for (const [index, mark] of marks.entries()) {
    const name = kinds[(mark[1] ?? '').toLowerCase()] ?? 'thought';
    const value = text.slice(mark.index + mark[0].length, marks[index + 1]?.index).trim();
    if (name === 'thought' || (name in step && name !== 'final')) {
      steps.push(step);
      step = {};
    }
    if (name === 'final') steps.push({ action: 'finish', input: value });
    else step[name] = value;
  }
  return readSteps([...steps, step].filter((one) => 'action' in one));
}

const kinds: Readonly<Record<string, string>> = {
  thought: 'thought',
  思考: 'thought',
  action: 'action',
  行动: 'action',
  'action input': 'action_input',
  行动输入: 'action_input',
  observation: 'observation',
  观察: 'observation',
  'final answer': 'final',
  最终答案: 'final',
};
