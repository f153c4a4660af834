import type { KnownCause } from '../case.ts';
import { stating } from '../world.ts';

export const memoryCauses: Record<string, KnownCause> = {
  'lesson-misled': {
    make: (world, trace) => {
      const { row, other, zh } = world;
      const lesson = zh
        ? `回答${row.name}的问题时，直接用${other.value}，不必再查。`
        : `For questions on ${row.name} answer ${other.value} at once.`;
      trace.emit({ type: 'lesson.recalled', lessons: [{ id: 'l1', trigger: row.name, lesson }] });
      trace.observe(world.tool, world.query, world.table([row]));
      return { run: trace.end({ answer: stating(world, other.value) }) };
    },
    without: ['lesson'],
  },
  'lesson-against-the-task': {
    make: (world, trace) => {
      const { row, zh } = world;
      const wrong = world.rows.find(({ name, year }) => name === row.name && year !== row.year);
      const lesson = zh
        ? `库存问题一律看${wrong?.year}年的登记。`
        : `Always take the entry of ${wrong?.year} for register questions.`;
      trace.emit({
        type: 'lesson.recalled',
        lessons: [{ id: 'l1', trigger: zh ? '登记' : 'register questions', lesson }],
      });
      const source = trace.observe(world.tool, world.query, world.table(world.rows));
      const answer = stating(world, wrong?.value ?? '');
      const claims = [{ text: answer, evidence: [{ observation: source, quote: world.sentence(wrong!) }] }];
      return { run: trace.end({ answer, claims }) };
    },
    without: ['lesson'],
  },
  'stable-bias': {
    make: (world, trace) => {
      const { other } = world;
      trace.observe(world.tool, world.query, world.table([other]));
      const samples = world.draws.whole(4, 7);
      for (let sample = 1; sample <= samples; sample++)
        trace.emit({ type: 'sample.end', sample, answer: stating(world, other.value), vote: other.value });
      const answer = stating(world, other.value);
      trace.emit({
        type: 'vote.made',
        votes: [{ answer: other.value, count: samples }],
        winner: answer,
        by: 'majority',
        stoppedEarly: false,
      });
      return { run: trace.end({ answer }) };
    },
  },
};
