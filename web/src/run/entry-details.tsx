import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callsQuery, observationsQuery } from '../api/queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { JsonBlock } from '../parts/json-block.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { CodeBlock } from '../parts/untrusted-text.tsx';
import { useShownRun } from './run-context.ts';
import type { Entry } from './timeline-model.ts';

/** Entries that say all in their line have no details. */
const plain: ReadonlySet<string> = new Set(['turn.start', 'plan.updated', 'budget.spent', 'run.start']);

export function hasDetails({ event }: Entry): boolean {
  return !plain.has(event.type);
}

/** All of an entry: what a tool returned, where a prompt is to be read, else the event itself. */
export function EntryDetails({ entry }: { entry: Entry }): ReactNode {
  const { event, end } = entry;
  if (event.type === 'tool.call') return <ToolDetails entry={entry} />;
  if (event.type === 'model.call' || event.type === 'model.start') return <ModelDetails entry={entry} />;
  const { id: _id, run: _run, live: _live, at: _at, ...told } = event;
  return <JsonBlock value={end ? [told, end] : told} />;
}

function ToolDetails({ entry: { event, path } }: { entry: Entry }): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const query = useQuery(observationsQuery(run.id));
  if (event.type !== 'tool.call') return null;
  return (
    <div className="stack">
      <h3>{t.arguments}</h3>
      <JsonBlock value={event.args} label={t.arguments} />
      <Loaded query={query}>
        {(observations) => {
          const found = observations.find((seen) => seen.id === event.observation && seen.path === path);
          return (
            found && (
              <>
                <h3>
                  {t.observation} {found.id} · {found.trust === 'untrusted' ? t.untrusted : t.trusted}
                </h3>
                <CodeBlock text={found.content} label={found.id} />
              </>
            )
          );
        }}
      </Loaded>
    </div>
  );
}

function ModelDetails({ entry: { event, end } }: { entry: Entry }): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const call = event.type === 'model.call' ? event : end;
  const query = useQuery(callsQuery(run.id));
  if (call?.type !== 'model.call') return null;
  return (
    <Loaded query={query}>
      {({ calls }) => {
        const found = calls.find(
          ({ path, step, fingerprint }) =>
            path === call.path && step === call.step && fingerprint === call.prompt.fingerprint,
        );
        return found ? (
          <p>
            <Link to="/runs/$runId/calls" params={{ runId: run.id }} search={{ call: found.index }}>
              {t.prompt} · {t.reply}
            </Link>
          </p>
        ) : (
          <JsonBlock value={call} />
        );
      }}
    </Loaded>
  );
}
