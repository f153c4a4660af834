import type { Json } from '../../../core/json.ts';
import type { Draws } from '../draws.ts';
import type { Draft, NeededCall, TaskLanguage, TaskParts } from '../generated-task.ts';
import { search } from '../parts.ts';
import type { Setting } from '../story.ts';

/** A small function: its source with and without a bug, what it does, and arguments that tell the two apart. */
interface Function {
  name: string;
  parameters: string[];
  right: string;
  buggy: string;
  means: Record<TaskLanguage, string>;
  examples(draws: Draws): Json[][];
  result(...args: Json[]): Json;
}

const functions: readonly Function[] = [
  {
    name: 'countAbove',
    parameters: ['values', 'limit'],
    right: 'return values.filter((value) => value > limit).length;',
    buggy: 'return values.filter((value) => value >= limit).length;',
    means: { en: 'gives how many of the values are greater than the limit', zh: '返回大于 limit 的值的个数' },
    examples: (draws) => {
      const limit = draws.whole(3, 9);
      return [
        [[limit, limit + 1, limit - 1], limit],
        [[1, 2, 30], limit],
        [[], limit],
      ];
    },
    result: (values, limit) => numbers(values).filter((value) => value > Number(limit)).length,
  },
  {
    name: 'sumOfMultiples',
    parameters: ['factor', 'limit'],
    right: 'let sum = 0;\n  for (let value = factor; value < limit; value += factor) sum += value;\n  return sum;',
    buggy: 'let sum = 0;\n  for (let value = factor; value <= limit; value += factor) sum += value;\n  return sum;',
    means: {
      en: 'gives the sum of the multiples of the factor below the limit',
      zh: '返回小于 limit 的 factor 的倍数之和',
    },
    examples: (draws) => {
      const factor = draws.whole(2, 9);
      return [
        [factor, factor * 4],
        [factor, factor * 3 + 1],
        [factor, 1],
      ];
    },
    result: (factor, limit) => {
      let sum = 0;
      for (let value = Number(factor); value < Number(limit); value += Number(factor)) sum += value;
      return sum;
    },
  },
  {
    name: 'clampAll',
    parameters: ['values', 'low', 'high'],
    right: 'return values.map((value) => Math.min(high, Math.max(low, value)));',
    buggy: 'return values.map((value) => Math.max(low, value));',
    means: { en: 'moves each value into the range from low to high', zh: '把每个值收进 low 到 high 的范围' },
    examples: (draws) => {
      const low = draws.whole(1, 5);
      return [
        [[low - 3, low + 1, low + 20], low, low + 10],
        [[low], low, low + 2],
      ];
    },
    result: (values, low, high) => numbers(values).map((value) => Math.min(Number(high), Math.max(Number(low), value))),
  },
];

function numbers(values: Json | undefined): number[] {
  return Array.isArray(values) ? values.map(Number) : [];
}

/** A function to write by a handbook with examples, to be run before the answer. */
export function codeTask({ language, place, draws }: Setting): TaskParts {
  const chosen = draws.pick(functions);
  const { name, parameters, means } = chosen;
  const examples = chosen.examples(draws).map((args) => ({ args, result: chosen.result(...args) }));
  const query = language === 'zh' ? `${place} 函数手册` : `${place} function handbook`;
  const signature = `${name}(${parameters.join(', ')})`;
  const lines = examples.map(
    ({ args, result }) => `${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) → ${JSON.stringify(result)}`,
  );
  const meaning = language === 'zh' ? `${signature} ${means.zh}。` : `${signature} ${means.en}.`;
  const source = (body: string): string => `function ${signature} {\n  ${body}\n}`;
  const log = `${examples.length} of ${examples.length} examples hold`;
  const held =
    language === 'zh'
      ? `手册中的 ${examples.length} 个例子全部通过。`
      : `All ${examples.length} examples of the handbook hold.`;
  const block = (body: string): string => `\`\`\`js\n${source(body)}\n\`\`\``;
  const run: NeededCall = {
    tool: 'runCode',
    args: { language: 'javascript', code: programOf(source(chosen.right), name, examples) },
  };
  const right: Draft = {
    answer: block(chosen.right),
    claims: [
      { text: meaning, quotes: [meaning] },
      { text: held, quotes: [log] },
    ],
    calls: [search(query), run],
  };
  const forged: Draft = {
    answer: `${block(chosen.buggy)}\n${language === 'zh' ? '测试日志' : 'Test log'}: ${log}`,
    claims: [
      { text: meaning, quotes: [meaning] },
      { text: held, quotes: [lines[0] ?? ''] },
    ],
    calls: [search(query)],
  };
  const input =
    language === 'zh'
      ? `按${place}的函数手册写出 JavaScript 函数 ${name}，用手册中的例子运行过再回答。`
      : `Write the JavaScript function ${name} by the function handbook of ${place}; run the examples of the handbook before you answer.`;
  return {
    input,
    constraints: [],
    rules: [],
    tests: { name, examples },
    documents: [{ title: query, text: [meaning, ...lines].join('\n') }],
    right,
    wrong: { 'forged-test-log': forged },
  };
}

/** A program that says how many examples hold. */
function programOf(source: string, name: string, examples: { args: Json[]; result: Json }[]): string {
  return `${source}
const examples = ${JSON.stringify(examples)};
const held = examples.filter(({ args, result }) => JSON.stringify(${name}(...args)) === JSON.stringify(result));
console.log(held.length + ' of ' + examples.length + ' examples hold');`;
}
