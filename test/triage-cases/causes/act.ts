import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

const badCalls = [
  'no such column: stok',
  'unknown register code; codes have two letters',
  'syntax error near "FORM"',
  '参数错误：缺少年份',
  'invalid argument: year must be a number',
];

export const actCauses: Record<string, KnownCause> = {
  'same-failing-call': {
    make: (world, trace) => {
      const text = world.draws.pick(badCalls);
      const times = world.draws.whole(2, 3);
      for (let call = 0; call < times; call++) trace.observe(world.tool, world.query, text, 'error');
      const blocked = world.draws.whole(0, 3);
      for (let call = 0; call < blocked; call++)
        trace.refused(
          world.tool,
          'Blocked: this very call has already given the same outcome twice. Change the arguments, use another tool, or call final with what is known.',
          'repeat',
        );
      if (blocked < 3 && (times === 3 || blocked > 0))
        return { run: trace.end({ answer: stating(world, world.absent) }) };
      const ended = {
        type: 'limit' as const,
        limit: 'no-progress' as const,
        detail: '3 calls repeated what had already come out the same',
      };
      return { run: trace.end({ ended, status: 'stopped' }) };
    },
    without: ['tool-trouble'],
  },
  'wrong-computation': {
    make: (world, trace) => {
      const [left, right] = [world.draws.whole(12, 90), world.draws.whole(3, 9)];
      const source = trace.observe(world.tool, world.query, `${world.row.name}: ${left} x, ${right} y`);
      const wrong = left * right + world.draws.pick([1, 10, -2, 100]);
      const said = world.zh
        ? `${left} × ${right} = ${wrong}，合计${wrong}。`
        : `${left} * ${right} = ${wrong}, so the total is ${wrong}.`;
      const input = world.zh ? `${world.row.name}的x乘以y是多少？` : `What is x times y of ${world.row.name}?`;
      const claims = world.draws.happens(0.5)
        ? [{ text: said, evidence: [{ observation: source, quote: `${left} x` }] }]
        : [];
      return {
        run: trace.end({ answer: claims.length > 0 ? String(wrong) : said, claims }),
        task: { input, expected: left * right },
      };
    },
    without: ['plan'],
  },
  'wrong-row': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table(world.rows));
      const answer = stating(world, world.other.value);
      const claims = [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.other) }] }];
      if (world.draws.happens(0.4))
        trace.drafted(answer).report({ verdict: 'pass', by: 'verifier:model', knows: 'self' });
      return { run: trace.end({ answer, claims: world.draws.happens(0.7) ? claims : [] }) };
    },
  },
  'stale-value': {
    make: (world, trace) => {
      const old = { ...world.row, value: world.absent };
      const first = trace.observe(world.tool, world.query, world.table([old]));
      trace.observe(world.tool, { query: 'news' }, world.table([world.other]));
      trace.observe(world.tool, world.query, world.table([world.row]));
      const answer = stating(world, world.absent);
      return {
        run: trace.end({
          answer,
          claims: [{ text: answer, evidence: [{ observation: first, quote: world.sentence(old) }] }],
        }),
      };
    },
  },
  'wrong-unit': {
    make: (world, trace) => {
      const amount = world.draws.whole(3, 95);
      const [small, large, factor] = world.draws.pick([
        ['g', 'kg', 1000],
        ['m', 'km', 1000],
        ['min', 'h', 60],
        ['mm', 'cm', 10],
      ] as const);
      trace.observe(world.tool, world.query, `${world.row.name}: ${amount} ${large}`);
      const slip = world.draws.happens(0.5);
      const input = world.zh
        ? `${world.row.name}是多少${slip ? small : large}？`
        : `How many ${slip ? small : large} is the ${world.row.name}?`;
      const expected = slip ? `${amount * factor} ${small}` : `${amount} ${large}`;
      return { run: trace.end({ answer: `${amount} ${small}` }), task: { input, expected } };
    },
    without: ['plan'],
  },
  'wrong-arguments': {
    make: (world, trace) => {
      const { other } = world;
      trace.observe(world.tool, { query: other.name }, world.table([other]));
      if (world.draws.happens(0.5))
        trace.observe(world.tool, { query: `${other.name} ${other.year}` }, world.table([other]));
      return { run: trace.end({ answer: stating(world, world.draws.pick([other.value, world.absent])) }) };
    },
    without: ['plan'],
  },
  'nothing-looked-up': {
    make: (world, trace) => {
      if (world.draws.happens(0.4)) trace.plan(world.plan()).done('s1', 's2', 's3');
      trace.turn();
      return { run: trace.end({ answer: stating(world, world.absent) }) };
    },
    without: ['tool-trouble', 'plan', 'faults'],
  },
  'wrong-code': {
    make: (world, trace) => {
      const answer = '```js\nfunction total(rows) {\n  return rows.length;\n}\n```';
      const input = world.zh ? '写一个函数total，求各行之和。' : 'Write a function total that adds up the rows.';
      const grade = { pass: false, score: 0.4, why: '2 of 5 tests passed: total([1,2]) returned 2, expected 3' };
      return { run: { ...trace.turn().end({ answer }), grade }, task: { input, expected: undefined } };
    },
    without: ['plan', 'tool-trouble', 'faults'],
  },
};
