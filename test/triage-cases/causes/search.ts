import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

export const searchCauses: Record<string, KnownCause> = {
  'vote-lost': {
    make: (world, trace) => {
      const { other, right, absent } = world;
      trace.observe(world.tool, world.query, world.table([world.other]));
      const votes = world.draws.pick([
        [other.value, other.value, right],
        [other.value, right, other.value, right, other.value],
        [absent, right, absent],
      ]);
      for (const [index, vote] of votes.entries())
        trace.emit({ type: 'sample.end', sample: index + 1, answer: stating(world, vote), vote });
      const [winner = ''] = votes;
      const counts = [...Map.groupBy(votes, (vote) => vote)].map(([answer, group]) => ({
        answer,
        count: group.length,
      }));
      trace.emit({
        type: 'vote.made',
        votes: counts,
        winner: stating(world, winner),
        by: 'majority',
        stoppedEarly: false,
      });
      return { run: trace.end({ answer: stating(world, winner) }) };
    },
  },
  'revision-broke-it': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
      trace.drafted(stating(world, world.right), 0);
      const issue = {
        type: 'unsupported_claim' as const,
        detail: `the answer makes no claims (${source})`,
        requiredAction: 'quote what it rests on',
      };
      trace.report({ verdict: 'revise', issues: [issue] });
      trace.emit({ type: 'refine.made', round: 1, issues: [issue], withTools: false });
      const answer = stating(world, world.other.value);
      trace.drafted(answer);
      trace.report({ verdict: 'pass' });
      const claims = [{ text: answer, evidence: [{ observation: source, quote: world.sentence(world.other) }] }];
      return { run: trace.end({ answer, claims, revisions: 1, status: 'revised' }) };
    },
  },
  'right-trial-lost': {
    make: (world, trace) => {
      const source = trace.observe(world.tool, world.query, world.table([world.row, world.other]));
      trace.emit({ type: 'trial.start', trial: 1, reflections: [] }).drafted(stating(world, world.right));
      trace.emit({
        type: 'trial.end',
        trial: 1,
        by: 'judge',
        knows: 'another-model',
        pass: false,
        score: 0.4,
        feedback: 'say it in more detail',
      });
      trace
        .emit({ type: 'trial.start', trial: 2, reflections: ['Say more.'] })
        .drafted(stating(world, world.other.value));
      trace.emit({
        type: 'trial.end',
        trial: 2,
        by: 'judge',
        knows: 'another-model',
        pass: true,
        score: 0.9,
        feedback: 'good',
      });
      const claims = [
        { text: world.other.value, evidence: [{ observation: source, quote: world.sentence(world.other) }] },
      ];
      return { run: trace.end({ answer: stating(world, world.other.value), claims }) };
    },
  },
  'right-branch-pruned': {
    make: (world, trace) => {
      const node = (id: string, value: string, verdict: 'kept' | 'pruned'): void => {
        const state = world.zh ? `可能是${value}` : `It may be ${value}`;
        trace.emit({
          type: 'search.node',
          node: id,
          parent: '0',
          depth: 1,
          state,
          value: verdict === 'kept' ? 0.8 : 0.2,
          verdict,
        });
      };
      node('1', world.other.value, 'kept');
      node('2', world.right, 'pruned');
      node('3', world.absent, 'pruned');
      trace.emit({ type: 'search.end', visited: 4, best: world.other.value, value: 0.8 });
      return { run: trace.end({ answer: stating(world, world.other.value) }) };
    },
    without: ['plan'],
  },
  'failed-step-never-tried-again': {
    make: (world, trace) => {
      trace.plan(world.plan());
      trace.observe(world.tool, { query: world.other.name }, world.table([world.other]));
      trace.failed('s1');
      trace.done('s2', 's3');
      return { run: trace.end({ answer: stating(world, world.draws.pick([world.absent, world.other.value])) }) };
    },
    without: ['plan'],
  },
  'gave-up-early': {
    make: (world, trace) => {
      const plan = world.plan();
      trace.plan(plan);
      const seen = world.zh
        ? `${world.row.name}的登记分年存放，请按年份再查一次。`
        : `The entries of ${world.row.name} are kept by year: search again for one year.`;
      trace.observe(world.tool, world.query, seen);
      if (world.draws.happens(0.5)) trace.done('s1');
      const answer = world.zh
        ? '信息不足，无法确定。'
        : world.draws.pick([
            'It cannot be determined.',
            'There is not enough information to say.',
            'I could not find it.',
          ]);
      return { run: trace.end({ answer }) };
    },
    without: ['plan', 'tool-trouble'],
  },
};
