import { type KeyboardEvent, type ReactNode, useMemo, useRef } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { type NodeVerdict, nodeBadges } from './search-text.ts';
import type { Placed, Thought } from './thought-layout.ts';

/** Pixels. The root is a point left of the first column. */
const size = { left: 36, column: 212, row: 48, width: 180, height: 40 };

interface TreeProps {
  placed: Placed;
  label: string;
  chosen: string | undefined;
  onChoose: (node: string) => void;
}

/** The picture of a search. Tab goes to the chosen state, and the arrows from there along the tree. */
export function ThoughtTree({ placed, label, chosen, onChoose }: TreeProps): ReactNode {
  const { thoughts, columns, rows } = placed;
  const frame = useRef<HTMLDivElement>(null);
  const width = size.left + columns * size.column;
  const height = Math.max(1, rows) * size.row;
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moveFrom(thoughts, chosen ?? thoughts[0]?.node, event.key);
    if (!next) return;
    event.preventDefault();
    onChoose(next.node);
    frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next.node)}"]`)?.focus();
  };
  const inPage = thoughts.some(({ node }) => node === chosen) ? chosen : thoughts[0]?.node;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the buttons inside
    <div className="thoughts" ref={frame} onKeyDown={onKeyDown}>
      <Edges thoughts={thoughts} width={width} height={height} />
      <ul aria-label={label} style={{ width, height }}>
        {thoughts.map((thought) => (
          <li key={thought.node} style={{ transform: `translate(${leftOf(thought)}px, ${topOf(thought)}px)` }}>
            <ThoughtBox
              thought={thought}
              isChosen={thought.node === chosen}
              isReached={thought.node === inPage}
              onChoose={onChoose}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Edges({ thoughts, width, height }: { thoughts: Thought[]; width: number; height: number }): ReactNode {
  const tops = useMemo(() => thoughts.filter(({ parent }) => !parent), [thoughts]);
  const rootY = size.row * ((tops[0]?.y ?? 0) + (tops.at(-1)?.y ?? 0)) * 0.5 + size.row / 2;
  return (
    <svg width={width} height={height} aria-hidden="true">
      <circle cx={12} cy={rootY} r={5} />
      {thoughts.map((thought) => (
        <path
          key={thought.node}
          className={thought.isBest ? 'best' : ''}
          d={
            thought.parent
              ? edge(leftOf(thought.parent) + size.width, topOf(thought.parent), thought)
              : edge(17, rootY - size.height / 2, thought)
          }
        />
      ))}
    </svg>
  );
}

interface BoxProps {
  thought: Thought;
  isChosen: boolean;
  isReached: boolean;
  onChoose: (node: string) => void;
}

function ThoughtBox({ thought, isChosen, isReached, onChoose }: BoxProps): ReactNode {
  const t = useTexts();
  const { node, verdict, value, news, state, isBest } = thought;
  return (
    <button
      type="button"
      className={`thought ${verdict} ${isBest ? 'best' : ''}`}
      data-node={node}
      aria-pressed={isChosen}
      tabIndex={isReached ? 0 : -1}
      title={visibleText(state.slice(0, 400))}
      onClick={() => onChoose(node)}
    >
      <span className="news">
        <UntrustedLine text={news} most={60} />
      </span>
      <span className="judged numbers">
        <NodeMark verdict={verdict} /> {t[nodeBadges[verdict][1]]} · {value.toFixed(2)}
      </span>
    </button>
  );
}

const marks: Readonly<Record<NodeVerdict, ReactNode>> = {
  kept: <circle cx="6" cy="6" r="4" fill="currentColor" />,
  pruned: <path d="m2.5 2.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  duplicate: <path d="M1.5 4h6v6h-6zM4 4V1.5h6.5V8H7.5" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  solution: <path d="M2 6.5 5 9.5 10 3" fill="none" stroke="currentColor" strokeWidth="2" />,
};

/** The shape of a verdict on a state. */
export function NodeMark({ verdict }: { verdict: NodeVerdict }): ReactNode {
  return (
    <svg className={`node-mark ${verdict}`} viewBox="0 0 12 12" aria-hidden="true">
      {marks[verdict]}
    </svg>
  );
}

function leftOf({ x }: Thought): number {
  return size.left + x * size.column;
}

function topOf({ y }: Thought): number {
  return y * size.row + (size.row - size.height) / 2;
}

function edge(fromX: number, fromTop: number, to: Thought): string {
  const [y1, y2] = [fromTop + size.height / 2, topOf(to) + size.height / 2];
  const x2 = leftOf(to);
  const middle = (fromX + x2) / 2;
  return `M${fromX} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

/** Where an arrow leads: to the parent, to the first child, to what stands above or below in the same column. */
function moveFrom(thoughts: readonly Thought[], node: string | undefined, key: string): Thought | undefined {
  const at = thoughts.find((thought) => thought.node === node);
  if (!at) return undefined;
  const column = thoughts.filter(({ x }) => x === at.x).sort((a, b) => a.y - b.y);
  const place = column.indexOf(at);
  if (key === 'ArrowLeft') return at.parent;
  if (key === 'ArrowRight') return thoughts.find(({ parent }) => parent === at);
  if (key === 'ArrowUp') return column[place - 1];
  return key === 'ArrowDown' ? column[place + 1] : undefined;
}
