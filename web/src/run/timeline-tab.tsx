import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count } from '../parts/amounts.ts';
import { Icon } from '../parts/icons.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { PlanView } from './plan-view.tsx';
import { useShownRun } from './run-context.ts';
import { wantedBy } from './timeline-filter.ts';
import { TimelineList, toggled } from './timeline-list.tsx';
import { entryCount, groupIds, isGroup, linesOf, timelineOf } from './timeline-model.ts';
import { type ShownKind, shownKinds, type TimelineFilter, timelineFilterOf } from './timeline-search.ts';
import { useFollowsEnd } from './use-follows-end.ts';

/** What happened, in order, with the plan beside it. */
export function TimelineTab(): ReactNode {
  const t = useTexts();
  const { events, connection } = useShownRun().followed;
  const filter = useSearch({ from: '/runs/$runId/' });
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const tree = useMemo(() => timelineOf(events), [events]);
  const groups = useMemo(() => groupIds(tree), [tree]);
  const wanted = useMemo(() => wantedBy(filter, t), [filter, t]);
  const lines = useMemo(() => linesOf(tree, collapsed, wanted), [tree, collapsed, wanted]);
  const toggleGroup = useCallback((id: string) => setCollapsed((before) => toggled(before, id)), []);
  const { isBehind, toEnd } = useFollowsEnd(connection === 'live', lines);
  const found = useMemo(() => lines.filter(({ node }) => !isGroup(node)).length, [lines]);
  return (
    <div className="run-columns">
      <section className="stack" aria-label={t.timeline}>
        <div className="row toolbar">
          <FilterFields filter={filter} />
          <span className="quiet numbers" role="status">
            {wanted ? `${count(found)} / ` : ''}
            {count(entryCount(tree))} {t.eventsShort}
          </span>
          {groups.length > 0 && (
            <span className="row end">
              <button type="button" className="button small plain" onClick={() => setCollapsed(new Set(groups))}>
                {t.collapseAll}
              </button>
              <button type="button" className="button small plain" onClick={() => setCollapsed(new Set())}>
                {t.expandAll}
              </button>
            </span>
          )}
        </div>
        <TimelineList
          lines={lines}
          began={tree.from}
          collapsed={collapsed}
          onToggleGroup={toggleGroup}
          label={t.timeline}
        />
        {connection === 'live' && isBehind && (
          <button type="button" className="button small to-end" onClick={toEnd}>
            <Icon name="down" /> {t.toLatest}
          </button>
        )}
      </section>
      <aside className="stack">
        <PlanView events={events} />
      </aside>
    </div>
  );
}

const kindTexts: Readonly<Record<ShownKind, keyof Texts>> = {
  work: 'showWork',
  judgement: 'showJudgement',
  trouble: 'showTrouble',
};

function FilterFields({ filter }: { filter: TimelineFilter }): ReactNode {
  const t = useTexts();
  const navigate = useNavigate({ from: '/runs/$runId/' });
  const change = (changed: { show?: string; find?: string }): void => {
    void navigate({ search: timelineFilterOf({ ...filter, ...changed }), replace: true, resetScroll: false });
  };
  return (
    <>
      <SearchField label={t.findInTimeline} value={filter.find ?? ''} onChange={(find) => change({ find })} />
      <select
        className="input"
        aria-label={t.show}
        value={filter.show ?? ''}
        onChange={(event) => change({ show: event.target.value })}
      >
        <option value="">{t.showAll}</option>
        {shownKinds.map((kind) => (
          <option key={kind} value={kind}>
            {t[kindTexts[kind]]}
          </option>
        ))}
      </select>
    </>
  );
}
