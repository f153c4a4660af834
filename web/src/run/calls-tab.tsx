import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callQuery, callsQuery } from '../api/queries.ts';
import type { CallRow, CallView, PromptMessage, PromptPart } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration, percent } from '../parts/amounts.ts';
import { JsonBlock } from '../parts/json-block.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { CodeBlock } from '../parts/untrusted-text.tsx';
import { useShownRun } from './run-context.ts';

/** Every call of a model with its exact prompt and reply. */
export function CallsTab(): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const { call } = useSearch({ from: '/runs/$runId/calls' });
  return (
    <Loaded query={useQuery(callsQuery(run.id))}>
      {({ calls, complete, why }) => (
        <div className="call-columns">
          <section className="stack" aria-label={t.modelCalls}>
            <p className="quiet">{t.callsRebuilt}</p>
            {!complete && (
              <p className="note warn">
                {t.callsIncomplete}
                {why === undefined ? '' : `: ${why}`}
              </p>
            )}
            {calls.length === 0 && <p className="quiet">{t.noCalls}</p>}
            <ol className="call-list">
              {calls.map((row) => (
                <CallLine key={row.index} row={row} runId={run.id} isChosen={row.index === call} />
              ))}
            </ol>
          </section>
          {call !== undefined && <Call runId={run.id} index={call} />}
        </div>
      )}
    </Loaded>
  );
}

function CallLine({ row, runId, isChosen }: { row: CallRow; runId: string; isChosen: boolean }): ReactNode {
  const t = useTexts();
  const { usage } = row;
  return (
    <li>
      <Link
        to="/runs/$runId/calls"
        params={{ runId }}
        search={{ call: row.index }}
        className="call-line"
        aria-current={isChosen ? 'true' : undefined}
      >
        <span>
          <strong>{row.role}</strong> <span className="mono">{[row.path, row.step].filter(Boolean).join('/')}</span>
        </span>
        <span className="quiet numbers">
          {count(usage.inputTokens)} → {count(usage.outputTokens)} ·{' '}
          {percent(usage.inputTokens === 0 ? null : usage.cachedTokens / usage.inputTokens)} {t.cacheShare}
          {row.ms === undefined ? '' : ` · ${duration(row.ms)}`}
        </span>
      </Link>
    </li>
  );
}

function Call({ runId, index }: { runId: string; index: number }): ReactNode {
  return (
    <Loaded key={index} query={useQuery(callQuery(runId, index))}>
      {(call) => <CallContent call={call} />}
    </Loaded>
  );
}

function CallContent({ call }: { call: CallView }): ReactNode {
  const t = useTexts();
  const shared = call.prompt.slice(0, call.shared);
  const fresh = call.prompt.slice(call.shared);
  return (
    <section className="stack call" aria-label={t.prompt}>
      <h2>
        {call.role} · {call.model}
      </h2>
      <h3>{t.prompt}</h3>
      {shared.length > 0 && (
        <details className="panel">
          <summary>
            {shared.length} × {t.sharedMessages}
          </summary>
          <Messages messages={shared} />
        </details>
      )}
      {shared.length > 0 && <p className="quiet">{t.newMessages}</p>}
      <div className={shared.length > 0 ? 'fresh' : ''}>
        <Messages messages={fresh} />
      </div>
      {call.tools.length > 0 && (
        <details className="panel">
          <summary>
            {t.toolsOffered} ({call.tools.length})
          </summary>
          <JsonBlock value={call.tools} label={t.toolsOffered} />
        </details>
      )}
      <h3>{t.reply}</h3>
      {call.reply.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a recorded reply never change places
        <Part key={place} part={part} />
      ))}
    </section>
  );
}

function Messages({ messages }: { messages: readonly PromptMessage[] }): ReactNode {
  return (
    <ol className="stack">
      {messages.map(({ role, content }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a recorded prompt never change places
        <li key={place} className="message">
          <h4>{role}</h4>
          {typeof content === 'string' ? (
            <CodeBlock text={content} label={role} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            content.map((part, number) => <Part key={number} part={part} />)
          )}
        </li>
      ))}
    </ol>
  );
}

function Part({ part }: { part: PromptPart }): ReactNode {
  const { type, text, toolName, input, output } = part;
  if (type === 'text' || type === 'reasoning') return <CodeBlock text={text ?? ''} label={type} />;
  return (
    <div className="stack">
      <span className="mono quiet">
        {type} {toolName}
      </span>
      <JsonBlock value={input ?? output ?? part} label={toolName ?? type} />
    </div>
  );
}
