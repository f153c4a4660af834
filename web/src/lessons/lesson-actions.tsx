import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { meQuery } from '../api/queries.ts';
import type { Lesson } from '../api/shapes.ts';
import { useEditLesson, useExpireLesson, useForgetLesson } from '../api/view-queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { say } from '../parts/toast.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { EditLesson } from './edit-lesson.tsx';

/** What a human may do with a lesson as it stands. */
export function LessonActions({ lesson }: { lesson: Lesson }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const expire = useExpireLesson(lesson.id);
  const edit = useEditLesson(lesson.id);
  const [open, setOpen] = useState<'edit' | 'forget'>();
  if (!me.data?.scopes.includes('approve') || lesson.status === 'forgotten') return null;
  const close = (): void => setOpen(undefined);
  return (
    <div className="row">
      <button type="button" className="button small" onClick={() => setOpen('edit')}>
        {t.edit}
      </button>
      {lesson.status === 'active' ? (
        <button
          type="button"
          className="button small"
          disabled={expire.isPending}
          onClick={() => expire.mutate(undefined, { onSuccess: () => say(t.wasExpired) })}
        >
          {t.expire}
        </button>
      ) : (
        <button
          type="button"
          className="button small"
          disabled={edit.isPending}
          onClick={() => edit.mutate({ status: 'active' }, { onSuccess: () => say(t.wasSaved) })}
        >
          {t.useAgain}
        </button>
      )}
      <button type="button" className="button small danger" onClick={() => setOpen('forget')}>
        {t.forget}
      </button>
      {(expire.error ?? edit.error) && <ProblemNote error={expire.error ?? edit.error} />}
      {open === 'edit' && <EditLesson lesson={lesson} onClose={close} />}
      {open === 'forget' && <ForgetDialog lesson={lesson} onClose={close} />}
    </div>
  );
}

function ForgetDialog({ lesson, onClose }: { lesson: Lesson; onClose: () => void }): ReactNode {
  const t = useTexts();
  const forget = useForgetLesson(lesson.id);
  const confirm = (): void =>
    forget.mutate(undefined, {
      onSuccess: () => {
        onClose();
        say(t.forgotten);
      },
    });
  return (
    <Dialog title={t.forgetTitle} isOpen onClose={onClose}>
      <p>
        <UntrustedText text={lesson.lesson} most={400} />
      </p>
      <p className="quiet">{t.forgetHelp}</p>
      {forget.error && <ProblemNote error={forget.error} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          {t.cancel}
        </button>
        <button type="button" className="button danger" disabled={forget.isPending} onClick={confirm}>
          {t.forget}
        </button>
      </div>
    </Dialog>
  );
}
