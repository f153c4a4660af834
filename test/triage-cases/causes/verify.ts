import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

export const verifyCauses: Record<string, KnownCause> = {
  'unsupported-claim-passed': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table(world.rows));
      const answer = stating(world, world.absent);
      const quote = world.sentence({ ...world.row, value: world.absent });
      trace
        .drafted(answer)
        .report({ verdict: 'pass', by: 'verifier:model', knows: world.draws.pick(['self', 'another-model']) });
      return {
        run: trace.end({
          answer,
          claims: [{ text: answer, evidence: [{ observation: source, quote }] }],
          status: 'completed',
        }),
      };
    },
  },
  'wrong-computation-passed': {
    make: (world, trace) => {
      const [left, right] = [world.draws.whole(12, 90), world.draws.whole(3, 9)];
      const source = trace.observe(world.tool, world.query, `${world.row.name}: ${left} x, ${right} y`);
      const wrong = left * right + world.draws.pick([1, 10, -2, 100]);
      const said = world.zh ? `${left} × ${right} = ${wrong}` : `${left} * ${right} = ${wrong}`;
      const input = world.zh ? `${world.row.name}的x乘以y是多少？` : `What is x times y of ${world.row.name}?`;
      trace.drafted(said).report({ verdict: 'pass', by: 'verifier:model', knows: 'self' });
      const claims = [{ text: said, evidence: [{ observation: source, quote: `${left} x` }] }];
      return { run: trace.end({ answer: said, claims, status: 'completed' }), task: { input, expected: left * right } };
    },
    without: ['plan'],
  },
  'verifier-not-asked': {
    make: (world, trace) => {
      trace.observe(world.tool, world.query, world.table(world.rows));
      const answer = stating(world, world.absent);
      const issue = {
        type: 'incomplete' as const,
        detail: 'the verifier could not be asked: the limit tokens is used up',
        requiredAction: 'raise the limit',
      };
      trace
        .drafted(answer)
        .report({ verdict: 'unchecked', by: 'verifier:model', knows: 'another-model', issues: [issue] });
      return { run: trace.end({ answer, claims: [] }) };
    },
  },
  'nothing-verified': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
      const answer = stating(world, world.absent);
      const made = [
        [],
        [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.row) }] }],
        [{ text: answer, evidence: [{ observation: 'obs-9', quote: answer }] }],
      ];
      return { run: trace.end({ answer, claims: world.draws.pick(made) }) };
    },
  },
  'false-objection': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
      trace.drafted(stating(world, world.right));
      const type = world.draws.pick(['contradiction', 'wrong_computation'] as const);
      const issue = {
        type,
        detail: `the source gives ${world.other.value} and not ${world.right}`,
        requiredAction: `say ${world.other.value}`,
      };
      trace.report({ verdict: 'revise', by: 'verifier:model', knows: 'another-model', issues: [issue] });
      trace.emit({ type: 'refine.made', round: 1, issues: [issue], withTools: false });
      const answer = stating(world, world.other.value);
      trace.drafted(answer).report({ verdict: 'pass', by: 'verifier:model', knows: 'another-model' });
      const claims = [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.other) }] }];
      return { run: trace.end({ answer, claims, revisions: 1, status: 'revised' }) };
    },
  },
};
