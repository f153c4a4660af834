import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import { judgeDraft } from './admission.ts';
import { expired, inConflictWith, merged, newLesson, type StoreLimits, surplus } from './lesson-record.ts';
import type { Admission, AdmissionMeta } from './memory.ts';

/** What is said of a draft, and the lessons that are new or changed by it, in the order in which they are written. */
export interface Decision {
  admission: Admission;
  changed: Lesson[];
}

/** What an admission says that was decided before: the same as then, as long as the lesson is as it was. */
export function earlierAdmission({ id, status, why }: Lesson): Admission {
  return { id, admitted: status !== 'quarantined', why };
}

/** Decides on a draft. `inScope` are the active and retired lessons of its scope. To be taken and written in one transaction. */
export function decideAdmission(
  draft: LessonDraft,
  meta: AdmissionMeta,
  context: { inScope: readonly Lesson[]; limits: StoreLimits },
): Decision {
  const { inScope, limits } = context;
  const { id, now, origin } = meta;
  const late = inScope.filter((lesson) => lesson.status === 'active' && lesson.expires <= now);
  const known = inScope.filter(({ expires }) => expires > now);
  const over = late.map((lesson) => expired(lesson, now));
  const judged = judgeDraft(draft, known, origin);
  switch (judged.type) {
    case 'refused':
      return { admission: { id, admitted: false, why: judged.why }, changed: over };
    case 'quarantined': {
      const kept = newLesson(draft, meta, {
        status: 'quarantined',
        why: judged.why,
        conflicts: [],
        ttlMs: limits.ttlMs,
      });
      return { admission: earlierAdmission(kept), changed: [...over, kept] };
    }
    case 'merged': {
      const lesson = merged(judged.into, draft, { meta, ttlMs: limits.ttlMs });
      return { admission: { id: lesson.id, admitted: true, why: judged.why }, changed: [...over, lesson] };
    }
    case 'admitted': {
      const rivals = judged.conflicts.map((lesson) => inConflictWith(lesson, id));
      const conflicts = rivals.map((lesson) => lesson.id);
      const fresh = newLesson(draft, meta, { status: 'active', why: judged.why, conflicts, ttlMs: limits.ttlMs });
      const active = [
        ...known.filter((lesson) => lesson.status === 'active' && !conflicts.includes(lesson.id)),
        ...rivals,
        fresh,
      ];
      const worst = surplus(active, limits.maxLessons, id).map((lesson) => expired(lesson, now));
      return { admission: earlierAdmission(fresh), changed: [...over, ...rivals, fresh, ...worst] };
    }
  }
}
