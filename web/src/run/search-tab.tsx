import { type ReactNode, useMemo, useState } from 'react';
import type { RunEvent } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count } from '../parts/amounts.ts';
import { CodeBlock } from '../parts/untrusted-text.tsx';
import { useShownRun } from './run-context.ts';
import { nodeBadges } from './search-text.ts';
import { placeThoughts, searchPaths, type Thought } from './thought-layout.ts';
import { NodeMark, ThoughtTree } from './thought-tree.tsx';
import { groupName } from './timeline-model.ts';

/** What Tree of Thoughts visited: a picture for each search of the run. */
export function SearchTab(): ReactNode {
  const t = useTexts();
  const { events } = useShownRun().followed;
  const paths = useMemo(() => searchPaths(events), [events]);
  if (paths.length === 0) return <p className="quiet">{t.noSearch}</p>;
  return paths.map((path) => <Search key={path} events={events} path={path} />);
}

/** Searches with more states begin with what was kept of them. */
const many = 40;

function Search({ events, path }: { events: readonly RunEvent[]; path: string }): ReactNode {
  const t = useTexts();
  const [wish, setOnlyKept] = useState<boolean>();
  const [chosen, setChosen] = useState<string>();
  const visited = useMemo(
    () => events.filter((event) => event.type === 'search.node' && event.path === path).length,
    [events, path],
  );
  const onlyKept = wish ?? visited > many;
  const placed = useMemo(() => placeThoughts(events, { path, onlyKept }), [events, path, onlyKept]);
  const shown = placed.thoughts.find(({ node }) => node === chosen) ?? placed.thoughts.findLast(({ isBest }) => isBest);
  const name = path === '' ? t.treeOfThoughts : `${t.treeOfThoughts} · ${groupName(path)}`;
  return (
    <section className="stack" aria-label={name}>
      <div className="row toolbar">
        <h2>{name}</h2>
        <span className="quiet numbers">
          {placed.thoughts.length < visited ? `${count(placed.thoughts.length)} / ` : ''}
          {count(visited)} {t.states}
        </span>
        <label className="row end">
          <input type="checkbox" checked={onlyKept} onChange={(event) => setOnlyKept(event.target.checked)} />
          {t.onlyKept}
        </label>
      </div>
      <div className="run-columns">
        <ThoughtTree placed={placed} label={name} chosen={shown?.node} onChoose={setChosen} />
        <aside className="panel stack" aria-live="polite">
          {shown ? <ShownThought thought={shown} /> : <p className="quiet">{t.noThought}</p>}
        </aside>
      </div>
    </section>
  );
}

function ShownThought({ thought: { verdict, value, state, isBest, node } }: { thought: Thought }): ReactNode {
  const t = useTexts();
  return (
    <>
      <div className="row">
        <NodeMark verdict={verdict} />
        <strong>{t[nodeBadges[verdict][1]]}</strong>
        <span className="numbers">
          {t.value} {value.toFixed(2)}
        </span>
        <span className="mono quiet">{node}</span>
      </div>
      {isBest && <p className="quiet">{t.bestFound}</p>}
      <CodeBlock text={state} label={t.eventNode} />
    </>
  );
}
