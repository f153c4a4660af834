import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

export const decomposeCauses: Record<string, KnownCause> = {
  'condition-of-form-dropped': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table(world.rows));
      const claims = [{ text: world.right, evidence: [{ observation: source, quote: world.sentence(world.row) }] }];
      const [constraint, answer] = world.draws.pick<readonly [string, string]>(
        world.zh
          ? ([
              ['答案必须包含“以登记为准”', `是${world.right}。`],
              ['请用英文回答', `${world.row.year}年的答案是${world.right}，见登记表。`],
            ] as const)
          : ([
              [
                'Answer in at most 6 words.',
                `In the year you asked about, the register of the place gives ${world.right}.`,
              ],
              ['The answer must include "as registered"', `It was ${world.right}.`],
              ['Answer in German.', `The register says that the answer is ${world.right} in that year.`],
            ] as const),
      );
      return { run: trace.end({ answer, claims }), task: { constraints: [constraint] } };
    },
    without: ['plan'],
  },
  'condition-not-in-plan': {
    make: (world, trace) => {
      const { row } = world;
      const wrong = world.rows.find(({ name, year }) => name === row.name && year !== row.year);
      const plan = world.plan();
      const [goal, first] = world.zh
        ? [`${row.name}的登记`, `查找${row.name}的登记`]
        : [`The register entry of ${row.name}`, `Find the register entry of ${row.name}`];
      const [step, ...rest] = plan.steps;
      trace.plan({ ...plan, goal, steps: [{ ...step!, objective: first }, ...rest] });
      trace.observe(world.tool, world.query, world.table(world.rows));
      trace.done('s1', 's2', 's3');
      const input = world.input.replace(world.zh ? `${row.year}年` : ` in ${row.year}`, '');
      const constraint = world.zh ? `只看${row.year}年的登记` : `Use the register of ${row.year} only.`;
      return {
        run: trace.end({ answer: stating(world, wrong?.value ?? '') }),
        task: { input, constraints: [constraint] },
      };
    },
    without: ['plan'],
  },
  'condition-missed-without-plan': {
    make: (world, trace) => {
      const { row } = world;
      const wrong = world.rows.find(({ name, year }) => name === row.name && year !== row.year);
      trace.observe(world.tool, world.query, world.table(world.rows));
      const input = world.input.replace(world.zh ? `${row.year}年` : ` in ${row.year}`, '');
      const constraints = world.zh
        ? [`只看${row.year}年的登记`, '回答要简短']
        : [`Use the register of ${row.year} only.`, 'Be brief.'];
      return { run: trace.end({ answer: stating(world, wrong?.value ?? '') }), task: { input, constraints } };
    },
    without: ['plan'],
  },
  'sub-goal-missing': {
    make: (world, trace) => {
      const { row, other } = world;
      const plan = world.plan();
      trace.plan(plan);
      trace.observe(world.tool, world.query, world.table(world.rows));
      trace.done('s1', 's2', 's3');
      const input = world.zh
        ? `${world.input}另外，${other.year}年${other.name}的登记值又是什么？`
        : `${world.input} And what does the register give for ${other.name} in ${other.year}?`;
      return {
        run: trace.end({ answer: stating(world, row.value) }),
        task: { input, expected: [row.value, other.value] },
      };
    },
    without: ['plan'],
  },
  'wrong-order': {
    make: (world, trace) => {
      trace.plan(world.plan());
      trace.observe('calculator', { expression: '1 + 1' }, '1 + 1 = 2');
      trace.done('s3');
      trace.observe(world.tool, world.query, world.table([world.row, world.other]));
      trace.done('s1', 's2');
      return { run: trace.end({ answer: stating(world, world.absent) }) };
    },
    without: ['plan'],
  },
  'plan-too-long': {
    make: (world, trace) => {
      const plan = world.plan();
      const steps = Array.from({ length: world.draws.whole(10, 14) }, (_, index) => ({
        ...plan.steps[0]!,
        id: `s${index + 1}`,
        objective: `${plan.steps[0]!.objective} (${index + 1})`,
      }));
      trace.plan({ ...plan, steps });
      for (let step = 1; step <= 6; step++) {
        trace.observe(
          world.tool,
          { query: `${world.row.name} ${step}` },
          world.table([{ ...world.other, value: String(step) }]),
        );
        trace.done(`s${step}`);
      }
      return {
        run: trace.end({ ended: { type: 'limit', limit: 'steps', detail: '12 turns were taken' }, status: 'stopped' }),
      };
    },
    without: ['plan'],
  },
  'no-usable-plan': {
    make: (_, trace) => {
      const why = 'the plan still has 13 steps after one compression; at most 8 are allowed';
      trace.emit({ type: 'plan.failed', why });
      return { run: trace.end({ ended: { type: 'fault', fault: 'invalid-plan', detail: why } }) };
    },
    without: ['plan', 'tool-trouble', 'faults'],
  },
};
