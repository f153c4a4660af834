import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import type { Lesson } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { beginning, visibleText } from '../parts/visible-text.ts';
import { When } from '../parts/when.tsx';
import { LessonActions } from './lesson-actions.tsx';
import { statusKeys } from './lesson-status.ts';

/** A lesson with its record. `others`: those it may be in conflict with. */
export function LessonCard({ lesson, others }: { lesson: Lesson; others: readonly Lesson[] }): ReactNode {
  const t = useTexts();
  const title = useId();
  const [tone, key] = statusKeys[lesson.status];
  return (
    <article id={cardId(lesson.id)} className="panel stack lesson" aria-labelledby={title} tabIndex={-1}>
      <div className="page-head">
        <div className="row">
          <Badge tone={tone}>{t[key]}</Badge>
          <Record lesson={lesson} />
        </div>
        <LessonActions lesson={lesson} />
      </div>
      <h2 id={title}>
        <UntrustedText text={lesson.lesson === '' ? t[key] : lesson.lesson} most={800} />
      </h2>
      <Texts lesson={lesson} />
      <Facts lesson={lesson} />
      {lesson.conflicts.length > 0 && <Conflicts ids={lesson.conflicts} others={others} />}
    </article>
  );
}

/** What came of it so far. */
function Record({ lesson: { uses, wins, losses } }: { lesson: Lesson }): ReactNode {
  const t = useTexts();
  return (
    <dl className="facts">
      {(
        [
          [t.uses, uses],
          [t.wins, wins],
          [t.losses, losses],
        ] as const
      ).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="numbers">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Texts({ lesson: { trigger, failurePattern, avoid } }: { lesson: Lesson }): ReactNode {
  const t = useTexts();
  const texts = [
    [t.trigger, trigger],
    [t.failurePattern, failurePattern],
    [t.avoid, avoid],
  ] as const;
  return (
    <dl className="lesson-texts">
      {texts
        .filter(([, text]) => text !== '')
        .map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <UntrustedText text={text} most={800} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Facts({ lesson }: { lesson: Lesson }): ReactNode {
  const t = useTexts();
  const { scope, source, created, expires, applies, why } = lesson;
  const bounds = [applies.taskKind, applies.model, ...(applies.tools ?? [])].filter((text) => text !== undefined);
  const facts: [string, ReactNode][] = [
    [
      t.sourceRun,
      <Link key="source" to="/runs/$runId" params={{ runId: source }} className="mono">
        {visibleText(source.slice(0, 8))}
      </Link>,
    ],
    [t.scope, <UntrustedText key="scope" text={scope} most={100} />],
    [t.kept, <When key="kept" at={created} />],
    [t.expires, <When key="expires" at={expires} />],
    ...(bounds.length > 0
      ? [
          [t.appliesTo, <UntrustedText key="applies" text={bounds.join(', ')} most={200} />] satisfies [
            string,
            ReactNode,
          ],
        ]
      : []),
    [t.admission, <UntrustedText key="why" text={why} most={200} />],
  ];
  return (
    <dl className="facts quiet">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Conflicts({ ids, others }: { ids: readonly string[]; others: readonly Lesson[] }): ReactNode {
  const t = useTexts();
  return (
    <div className="note warn">
      <Badge tone="warn">{t.conflicts}</Badge>
      {ids.map((id) => {
        const other = others.find((lesson) => lesson.id === id);
        const text = visibleText(beginning(other?.lesson ?? id, 160));
        return other ? (
          <button
            key={id}
            type="button"
            className="button small"
            onClick={() => document.getElementById(cardId(id))?.focus()}
          >
            {text}
          </button>
        ) : (
          <span key={id}>{text}</span>
        );
      })}
    </div>
  );
}

function cardId(id: string): string {
  return `lesson-${id}`;
}
