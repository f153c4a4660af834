import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { When } from '../parts/when.tsx';
import { EntryDetails, hasDetails } from './entry-details.tsx';
import { entryText } from './entry-text.ts';
import { type Entry, type Group, groupName, isGroup, type Line } from './timeline-model.ts';

interface ListProps {
  lines: readonly Line[];
  collapsed: ReadonlySet<string>;
  onToggle: (id: string) => void;
}

const usualHeight = 34;
/** Characters of an entry that are seen before it is opened. */
const shownText = 320;

/** The lines of a timeline. Only those on the screen are in the page. */
export function TimelineList({ lines, collapsed, onToggle }: ListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [top, setTop] = useState(0);
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => usualHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => lines[index]?.node.id ?? index,
  });
  const open = (id: string): void => {
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  return (
    <ol ref={list} className="timeline" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const line = lines[item.index];
        if (!line) return null;
        const { node, depth } = line;
        return (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            style={{ transform: `translateY(${item.start - top}px)`, paddingLeft: depth * 18 }}
            aria-setsize={lines.length}
            aria-posinset={item.index + 1}
          >
            {isGroup(node) ? (
              <GroupLine group={node} isCollapsed={collapsed.has(node.id)} onToggle={onToggle} />
            ) : (
              <EntryLine entry={node} isOpen={opened.has(node.id)} onToggle={open} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function GroupLine({
  group,
  isCollapsed,
  onToggle,
}: {
  group: Group;
  isCollapsed: boolean;
  onToggle: (id: string) => void;
}): ReactNode {
  return (
    <button
      type="button"
      className="group-line"
      aria-expanded={!isCollapsed}
      title={group.path}
      onClick={() => onToggle(group.id)}
    >
      <span aria-hidden="true">{isCollapsed ? '▸' : '▾'}</span> {groupName(group.path)}{' '}
      <span className="quiet numbers">({group.children.length})</span>
    </button>
  );
}

function EntryLine({
  entry,
  isOpen,
  onToggle,
}: {
  entry: Entry;
  isOpen: boolean;
  onToggle: (id: string) => void;
}): ReactNode {
  const t = useTexts();
  const { label, text, tone, facts, strong } = entryText(entry, t);
  const expandable = hasDetails(entry);
  return (
    <article className={`entry ${strong ? 'strong' : ''}`}>
      <div className="entry-head">
        <Badge tone={tone}>{label}</Badge>
        <span className="entry-text">
          <UntrustedText text={text} most={isOpen ? 4_000 : shownText} />
        </span>
        <span className="entry-facts quiet numbers">
          {facts.join(' · ')} <When at={entry.event.at} precise />
        </span>
        {expandable && (
          <button
            type="button"
            className="button small plain"
            aria-expanded={isOpen}
            onClick={() => onToggle(entry.id)}
          >
            {isOpen ? t.less : t.details}
          </button>
        )}
      </div>
      {isOpen && <EntryDetails entry={entry} />}
    </article>
  );
}
