import { type ReactNode, useMemo, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { PlanView } from './plan-view.tsx';
import { useShownRun } from './run-context.ts';
import { Thoughts } from './thoughts.tsx';
import { TimelineList } from './timeline-list.tsx';
import { groupIds, linesOf, timelineOf } from './timeline-model.ts';

/** What happened, in order, with the plan beside it. */
export function TimelineTab(): ReactNode {
  const t = useTexts();
  const { followed } = useShownRun();
  const { events } = followed;
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const tree = useMemo(() => timelineOf(events), [events]);
  const lines = useMemo(() => linesOf(tree, collapsed), [tree, collapsed]);
  const groups = useMemo(() => groupIds(tree), [tree]);
  const toggle = (id: string): void => {
    setCollapsed((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  return (
    <div className="run-columns">
      <section className="stack" aria-label={t.timeline}>
        {groups.length > 0 && (
          <div className="row">
            <button type="button" className="button small" onClick={() => setCollapsed(new Set(groups))}>
              {t.collapseAll}
            </button>
            <button type="button" className="button small" onClick={() => setCollapsed(new Set())}>
              {t.expandAll}
            </button>
          </div>
        )}
        <TimelineList lines={lines} collapsed={collapsed} onToggle={toggle} />
      </section>
      <aside className="stack">
        <PlanView events={events} />
        <Thoughts events={events} />
      </aside>
    </div>
  );
}
