import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { Lesson } from '../api/shapes.ts';
import { type LessonChange, useEditLesson } from '../api/view-queries.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { say } from '../parts/toast.tsx';

const fields = [
  ['trigger', 'trigger'],
  ['lesson', 'lesson'],
  ['failurePattern', 'failurePattern'],
  ['avoid', 'avoid'],
] as const satisfies readonly (readonly [keyof LessonChange & keyof Lesson, keyof Texts])[];

/** Changes the words of a lesson; only what was changed is sent. */
export function EditLesson({ lesson, onClose }: { lesson: Lesson; onClose: () => void }): ReactNode {
  const t = useTexts();
  const id = useId();
  const edit = useEditLesson(lesson.id);
  const [typed, setTyped] = useState<LessonChange>({});
  const changed = Object.fromEntries(
    fields.flatMap(([name]) => {
      const text = typed[name];
      return text === undefined || text === lesson[name] ? [] : [[name, text]];
    }),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    edit.mutate(changed, {
      onSuccess: () => {
        onClose();
        say(t.wasSaved);
      },
    });
  };
  return (
    <Dialog title={t.editLesson} isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {fields.map(([name, key]) => (
          <div key={name} className="field">
            <label htmlFor={`${id}-${name}`}>{t[key]}</label>
            <textarea
              id={`${id}-${name}`}
              rows={name === 'lesson' ? 4 : 2}
              maxLength={2_000}
              value={typed[name] ?? lesson[name]}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          </div>
        ))}
        {edit.error && <ProblemNote error={edit.error} />}
        <div className="dialog-end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={Object.keys(changed).length === 0 || edit.isPending}
          >
            {t.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
