import * as z from 'zod';
import type { RunEvent } from '../../../core/event.ts';
import { Report } from './recorded-parts.ts';

const text = z.string();

/** The events that the rules read, by what they read of them. */
const Body = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('run.start') }),
  z.looseObject({ type: z.literal('run.end') }),
  z.looseObject({
    type: z.literal('lesson.recalled'),
    lessons: z.array(z.object({ id: text, trigger: text.default(''), lesson: text })),
  }),
  z.looseObject({ type: z.literal('plan.updated'), step: text, status: text }),
  z.looseObject({ type: z.literal('plan.failed'), why: text }),
  z.looseObject({ type: z.literal('model.call'), outcome: text }),
  z.looseObject({ type: z.literal('turn.invalid'), why: text }),
  z.looseObject({ type: z.literal('tool.result'), status: text }),
  z.looseObject({ type: z.literal('tool.refused'), tool: text, why: text, cause: text }),
  z.looseObject({ type: z.literal('approval.requested'), tool: text, why: text }),
  z.looseObject({ type: z.literal('answer.drafted'), answer: text }),
  z.looseObject({ type: z.literal('verify.report'), report: Report }),
  z.looseObject({ type: z.literal('sample.end'), answer: text, vote: text }),
  z.looseObject({ type: z.literal('vote.made'), winner: text, by: text }),
  z.looseObject({ type: z.literal('search.node'), state: text, value: z.number(), verdict: text }),
  z.looseObject({ type: z.literal('search.end'), best: text }),
]);
const Place = z.looseObject({ id: text, at: z.number().default(0), path: text.default('') });

/** The events of a row, those in our shape; the rules read no other. */
export function readEvents(events: readonly unknown[], run: string): RunEvent[] {
  return events.flatMap((event) => {
    const body = Body.safeParse(event);
    const place = Place.safeParse(event);
    if (!body.success || !place.success) return [];
    const { id, at, path } = place.data;
    // Every field that a rule reads was checked; the rest is passed on as it stands.
    return [{ live: false, ...body.data, id, at, path, run } as RunEvent];
  });
}
