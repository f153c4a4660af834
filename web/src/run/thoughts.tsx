import { type ReactNode, useMemo, useState } from 'react';
import type { RunEvent } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { nodeKeys } from './entry-text.ts';
import { placeThoughts, searchPaths, type Thought } from './thought-layout.ts';

/** The states of Tree of Thoughts and their values, a picture for each search of the run. */
export function Thoughts({ events }: { events: readonly RunEvent[] }): ReactNode {
  const paths = useMemo(() => searchPaths(events), [events]);
  return paths.map((path) => <Search key={path} events={events} path={path} />);
}

const column = 132;
const line = 40;
const box = { width: 116, height: 28 };

function Search({ events, path }: { events: readonly RunEvent[]; path: string }): ReactNode {
  const t = useTexts();
  const { thoughts, columns, rows } = useMemo(() => placeThoughts(events, path), [events, path]);
  const [chosen, setChosen] = useState<string>();
  const at = new Map(thoughts.map((thought) => [thought.node, thought]));
  const shown = chosen === undefined ? undefined : at.get(chosen);
  return (
    <section className="panel stack" aria-label={`${t.treeOfThoughts} ${path}`}>
      <h2>{t.treeOfThoughts}</h2>
      <div className="thoughts">
        <div style={{ width: columns * column, height: rows * line, position: 'relative' }}>
          <svg width={columns * column} height={rows * line} aria-hidden="true">
            {thoughts.map((thought) => {
              const parent = at.get(thought.parent);
              return parent && parent !== thought && <path key={thought.node} d={edge(parent, thought)} />;
            })}
          </svg>
          {thoughts.map((thought) => (
            <button
              key={thought.node}
              type="button"
              className={`thought ${thought.verdict}`}
              aria-pressed={chosen === thought.node}
              style={{ left: thought.x * column, top: thought.y * line + 6, width: box.width, height: box.height }}
              title={visibleText(thought.state.slice(0, 300))}
              onClick={() => setChosen(thought.node)}
            >
              <span className="numbers">{thought.value.toFixed(2)}</span> {t[nodeKeys[thought.verdict]]}
            </button>
          ))}
        </div>
      </div>
      {shown && (
        <pre>
          <UntrustedText text={shown.state} />
        </pre>
      )}
    </section>
  );
}

function edge(from: Thought, to: Thought): string {
  const [x1, y1] = [from.x * column + box.width, from.y * line + 20];
  const [x2, y2] = [to.x * column, to.y * line + 20];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
