import type { FailureLayer } from '../../../src/evals/findings.ts';
import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

/** Runs that hold the signs of two layers; the cause is the one that came first and made the other. */
export const mixedCauses: Readonly<Record<FailureLayer, Record<string, KnownCause>>> = {
  environment: {
    'outage-then-made-up-claim': {
      make: (world, trace) => {
        for (let call = 0; call < 3; call++)
          trace.observe(world.tool, { ...world.query, page: call }, 'HTTP 502: bad gateway', 'error');
        const answer = stating(world, world.absent);
        const claims = [{ text: answer, evidence: [{ observation: 'obs-1', quote: world.absent }] }];
        return { run: trace.end({ answer, claims }) };
      },
      without: ['tool-trouble'],
    },
    'outage-then-self-check-passed': {
      make: (world, trace) => {
        for (let call = 0; call < 2; call++)
          trace.observe(world.tool, world.query, 'connect ETIMEDOUT: connection timed out', 'timeout');
        const answer = stating(world, world.absent);
        trace.drafted(answer).report({ verdict: 'pass', by: 'verifier:model', knows: 'self' });
        return { run: trace.end({ answer }) };
      },
      without: ['tool-trouble'],
    },
  },
  model: {
    'silence-after-tool-error': {
      make: (world, trace) => {
        trace.observe(world.tool, world.query, 'unknown register code', 'error');
        trace.observe(world.tool, world.query, world.table(world.rows));
        const ended = {
          type: 'fault' as const,
          fault: 'empty-response' as const,
          detail: 'the model returned 3 empty replies in a row',
        };
        return { run: trace.end({ ended }) };
      },
      without: ['tool-trouble'],
    },
  },
  decompose: {
    'dropped-form-and-open-objection': {
      make: (world, trace) => {
        const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
        const constraint = world.zh ? '答案必须包含“以登记为准”' : 'The answer must include "as registered"';
        const answer = stating(world, world.right);
        const issue = {
          type: 'missed_constraint' as const,
          detail: `the condition is missing: ${constraint}`,
          requiredAction: 'keep it',
        };
        trace.drafted(answer).report({ verdict: 'revise', issues: [issue] });
        const claims = [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.row) }] }];
        return { run: trace.end({ answer, claims }), task: { constraints: [constraint] } };
      },
      without: ['plan'],
    },
  },
  search: {
    'vote-lost-with-broken-claim': {
      make: (world, trace) => {
        const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
        const votes = [world.absent, world.right, world.absent];
        for (const [index, vote] of votes.entries())
          trace.emit({ type: 'sample.end', sample: index + 1, answer: stating(world, vote), vote });
        const answer = stating(world, world.absent);
        const counted = [
          { answer: world.absent, count: 2 },
          { answer: world.right, count: 1 },
        ];
        trace.emit({ type: 'vote.made', votes: counted, winner: answer, by: 'majority', stoppedEarly: false });
        return {
          run: trace.end({ answer, claims: [{ text: answer, evidence: [{ observation: source, quote: answer }] }] }),
        };
      },
    },
  },
  act: {
    'loop-until-the-budget': {
      make: (world, trace) => {
        for (let call = 0; call < 3; call++)
          trace.observe(world.tool, world.query, 'invalid argument: year must be a number', 'error');
        const ended = { type: 'limit' as const, limit: 'tokens' as const, detail: 'the limit tokens is used up' };
        return { run: trace.end({ answer: stating(world, world.absent), ended, degraded: true, status: 'stopped' }) };
      },
      without: ['tool-trouble'],
    },
    'invented-tools-then-wrong-row': {
      make: (world, trace) => {
        for (const name of ['getStock', 'wiki', 'browse'])
          trace.refused(name, `there is no tool "${name}"; available: ${world.tool}, calculator`);
        const source = trace.observe(world.tool, world.query, world.table(world.rows));
        const answer = stating(world, world.other.value);
        return {
          run: trace.end({
            answer,
            claims: [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.other) }] }],
          }),
        };
      },
      without: ['faults'],
    },
    'wrong-row-beside-a-right-lesson': {
      make: (world, trace) => {
        const lesson = world.zh
          ? `读登记表时核对名称和年份。`
          : 'Check name and year of the entry before you take its value.';
        trace.emit({ type: 'lesson.recalled', lessons: [{ id: 'l2', trigger: 'register', lesson }] });
        trace.observe(world.tool, world.query, world.table([world.row, world.other]));
        return { run: trace.end({ answer: stating(world, world.other.value) }) };
      },
      without: ['lesson'],
    },
    'wrong-row-after-outage': {
      make: (world, trace) => {
        trace.observe(world.tool, world.query, 'No result within 10000 ms.', 'timeout');
        trace.observe(world.tool, { ...world.query, retry: true }, world.table(world.rows));
        return { run: trace.end({ answer: stating(world, world.other.value) }) };
      },
      without: ['tool-trouble'],
    },
  },
  verify: {
    'passed-against-the-evidence-after-empty-lookup': {
      make: (world, trace) => {
        trace.observe(world.tool, { query: world.row.name }, world.zh ? '没有找到匹配的记录' : 'No results.');
        trace.observe(world.tool, world.query, world.table([world.row, world.other]));
        const answer = stating(world, world.absent);
        trace.drafted(answer).report({ verdict: 'pass', by: 'verifier:model', knows: 'another-model' });
        return { run: trace.end({ answer, status: 'completed' }) };
      },
    },
  },
  memory: {
    'misled-and-passed': {
      make: (world, trace) => {
        const { row, other, zh } = world;
        const lesson = zh ? `${row.name}的数值是${other.value}。` : `The value of ${row.name} is ${other.value}.`;
        trace.emit({ type: 'lesson.recalled', lessons: [{ id: 'l1', trigger: row.name, lesson }] });
        trace.observe(world.tool, world.query, world.table([row]));
        const answer = stating(world, other.value);
        trace.drafted(answer).report({ verdict: 'pass', by: 'verifier:model', knows: 'self' });
        return { run: trace.end({ answer, status: 'completed' }) };
      },
      without: ['lesson'],
    },
  },
};
