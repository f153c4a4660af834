import type { LessonDraft } from './attempt.ts';

/** A lesson kept from an earlier run, under rules (invariant 11). Times are milliseconds since the epoch. */
export interface Lesson extends LessonDraft {
  id: string;
  /** The run it came from. */
  source: string;
  /** Where it applies, for example one project; a recall names the scope it wants. */
  scope: string;
  created: number;
  expires: number;
  uses: number;
  wins: number;
  losses: number;
  status: 'active' | 'expired' | 'forgotten';
}
