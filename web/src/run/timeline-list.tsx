import { defaultRangeExtractor, type Range, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { EntryLine, GroupLine } from './timeline-lines.tsx';
import { isGroup, type Line } from './timeline-model.ts';

interface ListProps {
  lines: readonly Line[];
  /** When the run began. */
  began: number;
  collapsed: ReadonlySet<string>;
  onToggleGroup: (id: string) => void;
  label: string;
}

/** Pixels of a closed line; run.css says the same. */
const lineHeight = 30;
const phoneLineHeight = 50;
const phone = matchMedia('(max-width: 760px)');

/** The lines of a timeline. Only those on the screen are in the page; Tab goes to one of them, and the arrows from there. */
export function TimelineList({ lines, began, collapsed, onToggleGroup, label }: ListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState(0);
  const top = useTop(list);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: closedHeight,
    // Drawing may wait for the browser's own frame.
    useFlushSync: false,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => lines[index]?.node.id ?? index,
    rangeExtractor: (range) => withCurrent(range, Math.min(current, lines.length - 1)),
  });
  const toggle = useCallback((id: string): void => setOpened((before) => toggled(before, id)), []);
  useClosedHeights(virtual, lines, opened);
  const reached = Math.min(current, lines.length - 1);
  const onKeyDown = useLineKeys({ virtual, lines, list, setCurrent });
  return (
    <ol
      ref={list}
      className="timeline"
      aria-label={label}
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const line = lines[index];
        if (!line) return null;
        const { node, depth } = line;
        const shown = { depth, began, isCurrent: index === reached };
        return (
          <li
            key={key}
            // A closed line has its height from the style sheet; measuring each would cost frames.
            ref={opened.has(node.id) ? virtual.measureElement : undefined}
            data-index={index}
            style={{ transform: `translateY(${start - top}px)` }}
            aria-setsize={lines.length}
            aria-posinset={index + 1}
          >
            {isGroup(node) ? (
              <GroupLine {...shown} node={node} isOpen={!collapsed.has(node.id)} onToggle={onToggleGroup} />
            ) : (
              <EntryLine {...shown} node={node} isOpen={opened.has(node.id)} onToggle={toggle} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The lines on the screen, and the one that has or gets the focus, wherever the page is scrolled. */
function withCurrent(range: Range, current: number): number[] {
  const shown = defaultRangeExtractor(range);
  return current < 0 || shown.includes(current) ? shown : [...shown, current].sort((a, b) => a - b);
}

function closedHeight(): number {
  return phone.matches ? phoneLineHeight : lineHeight;
}

/** A line that was closed has its usual height again. */
function useClosedHeights(
  virtual: Virtualizer<Window, Element>,
  lines: readonly Line[],
  opened: ReadonlySet<string>,
): void {
  const before = useRef(opened);
  useLayoutEffect(() => {
    for (const id of before.current) {
      if (!opened.has(id))
        virtual.resizeItem(
          lines.findIndex(({ node }) => node.id === id),
          closedHeight(),
        );
    }
    before.current = opened;
  }, [virtual, lines, opened]);
}

/** A set with one member more or less. */
export function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Where the list begins in the page; what stands above it may grow. */
function useTop(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}

interface KeysOptions {
  virtual: Virtualizer<Window, Element>;
  lines: readonly Line[];
  list: RefObject<HTMLElement | null>;
  setCurrent: (index: number) => void;
}

const moves: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowDown: (from) => from + 1,
  j: (from) => from + 1,
  ArrowUp: (from) => from - 1,
  k: (from) => from - 1,
  PageDown: (from) => from + 20,
  PageUp: (from) => from - 20,
  Home: () => 0,
  End: (_, last) => last,
};

function useLineKeys({ virtual, lines, list, setCurrent }: KeysOptions): (event: KeyboardEvent) => void {
  const wanted = useRef<number>(undefined);
  // The line may come into the page with a later drawing than the key.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const line = list.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] .line-head`);
    if (!line) return;
    line.focus({ preventScroll: true });
    wanted.current = undefined;
  });
  return (event) => {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('.line-head') : null;
    const move = moves[event.key];
    if (!(item && move) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = Number(item.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? 0);
    const to = Math.max(0, Math.min(lines.length - 1, move(from, lines.length - 1)));
    wanted.current = to;
    setCurrent(to);
    virtual.scrollToIndex(to, { align: 'auto' });
  };
}
