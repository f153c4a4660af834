import * as z from 'zod';
import type { LessonDraft } from './attempt.ts';

/** What a lesson is bound to besides its scope. What is absent binds nothing. */
export interface Applicability {
  /** A name of the user's for a kind of task. */
  taskKind?: string | undefined;
  /** Tools without which it cannot be followed; it is recalled only where all of them are. */
  tools?: string[] | undefined;
  /** The model that needed it. */
  model?: string | undefined;
}

/** A run whose outcome speaks for or against a lesson. Reading a lesson is none. */
export interface LessonEvidence {
  run: string;
  says: 'supports' | 'contradicts';
}

/**
 * `active`: in use. `retired`: its record says that it hurts. `quarantined`: it may speak for a stranger, and a human has to look at it.
 * `expired`: its time is over, or a better one needed its place. `forgotten`: nothing of its text is left.
 */
export type LessonStatus = 'active' | 'retired' | 'quarantined' | 'expired' | 'forgotten';

/** A lesson kept from an earlier run, under rules (invariant 11). Times are milliseconds since the epoch. */
export interface Lesson extends LessonDraft {
  id: string;
  /** The run it came from. */
  source: string;
  /** Where it applies, for example one project; a recall names the scope it wants. */
  scope: string;
  applies: Applicability;
  created: number;
  expires: number;
  /** When an outcome was last counted; `created` before the first. */
  checked: number;
  uses: number;
  wins: number;
  losses: number;
  /** The runs behind it, oldest first; only the latest are kept. The counts above are of all. */
  evidence: LessonEvidence[];
  /** Ids of lessons that say the opposite. Of such a group only the better ones are recalled. */
  conflicts: string[];
  status: LessonStatus;
  /** What admission said of it. */
  why: string;
}

const Evidence: z.ZodType<LessonEvidence> = z.object({ run: z.string(), says: z.enum(['supports', 'contradicts']) });
const count = z.number().int().nonnegative();

/** A lesson as JSON; what an earlier version did not know is filled in. */
export const Lesson: z.ZodType<Lesson> = z
  .object({
    id: z.string().min(1),
    source: z.string(),
    scope: z.string(),
    applies: z
      .object({
        taskKind: z.string().optional(),
        tools: z.array(z.string()).optional(),
        model: z.string().optional(),
      })
      .default({}),
    trigger: z.string(),
    failurePattern: z.string(),
    lesson: z.string(),
    avoid: z.string(),
    created: z.number(),
    expires: z.number(),
    checked: z.number().optional(),
    uses: count,
    wins: count,
    losses: count,
    evidence: z.array(Evidence).optional(),
    conflicts: z.array(z.string()).default([]),
    status: z.enum(['active', 'retired', 'quarantined', 'expired', 'forgotten']),
    why: z.string().default('new'),
  })
  .transform(({ checked, evidence, ...lesson }) => ({
    ...lesson,
    checked: checked ?? lesson.created,
    evidence: evidence ?? [{ run: lesson.source, says: 'supports' as const }],
  }));
