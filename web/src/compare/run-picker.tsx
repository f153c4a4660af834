import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { runsQuery } from '../api/queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { StatusBadge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { When } from '../parts/when.tsx';

const mostShown = 12;

/** Chooses a run out of the newest, or out of those that a search finds. */
export function RunPicker({
  title,
  without,
  onChoose,
}: {
  title: string;
  /** A run that is no choice, since it is the other one. */
  without: string | undefined;
  onChoose: (id: string) => void;
}): ReactNode {
  const t = useTexts();
  const [search, setSearch] = useState('');
  return (
    <section className="panel stack" aria-label={title}>
      <h2>{title}</h2>
      <SearchField label={t.search} value={search} onChange={setSearch} />
      <Loaded query={useQuery(runsQuery({ search }))}>
        {({ runs }) => (
          <ul className="choices">
            {runs
              .filter(({ id }) => id !== without)
              .slice(0, mostShown)
              .map(({ id, task, status, created, configuration, agent }) => (
                <li key={id}>
                  <button type="button" className="choice-line" onClick={() => onChoose(id)}>
                    <span className="task">{visibleText(task)}</span>
                    <span className="row quiet">
                      <StatusBadge status={status} /> {configuration ?? agent} <When at={created} />
                      <span className="mono">{id.slice(0, 8)}</span>
                    </span>
                  </button>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
