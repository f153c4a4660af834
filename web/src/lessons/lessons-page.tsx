import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lessonsQuery } from '../api/view-queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { Loaded } from '../parts/problem-note.tsx';
import { LessonCard } from './lesson-card.tsx';
import { isLessonStatus, lessonStatuses, statusKeys } from './lesson-status.ts';
import './lessons.css';

/** The lessons kept from earlier runs, and what a human may do with them. */
export function LessonsPage(): ReactNode {
  const t = useTexts();
  const { status } = useSearch({ from: '/lessons' });
  const navigate = useNavigate({ from: '/lessons' });
  usePageTitle(t.lessons);
  return (
    <>
      <div className="page-head">
        <h1>{t.lessons}</h1>
        <select
          className="input lesson-filter"
          aria-label={t.status}
          value={status ?? ''}
          onChange={({ target: { value } }) =>
            void navigate({ search: isLessonStatus(value) ? { status: value } : {}, replace: true })
          }
        >
          <option value="">{t.anyStatus}</option>
          {lessonStatuses.map((one) => (
            <option key={one} value={one}>
              {t[statusKeys[one][1]]}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={useQuery(lessonsQuery(status))}>
        {(lessons) => (
          <>
            {lessons.length === 0 && <p className="quiet">{status === undefined ? t.noLessons : t.noLessonsMatch}</p>}
            {lessons.map((lesson) => (
              <LessonCard key={lesson.id} lesson={lesson} others={lessons} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}
