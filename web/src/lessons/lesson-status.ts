import type { Lesson } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import type { Tone } from '../parts/badge.tsx';

export const statusKeys: Readonly<Record<Lesson['status'], [Tone, keyof Texts]>> = {
  active: ['good', 'lessonActive'],
  retired: ['bad', 'lessonRetired'],
  quarantined: ['warn', 'lessonQuarantined'],
  expired: ['plain', 'lessonExpired'],
  forgotten: ['plain', 'lessonForgotten'],
};

export const lessonStatuses: readonly Lesson['status'][] = ['active', 'quarantined', 'retired', 'expired', 'forgotten'];

export function isLessonStatus(value: unknown): value is Lesson['status'] {
  return lessonStatuses.some((status) => status === value);
}
