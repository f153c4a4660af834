import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { observationsQuery } from '../api/queries.ts';
import type { ObservationView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';
import { align } from './align.ts';
import type { ComparedRuns } from './compared-runs.ts';
import { PairTable } from './pair-table.tsx';

/** The tool calls of both runs in order; the same calls and calls of the same tool stand beside each other. */
export function CallTable({ left, right }: ComparedRuns): ReactNode {
  const [one, other] = [useQuery(observationsQuery(left.id)), useQuery(observationsQuery(right.id))];
  return <Loaded query={one}>{(a) => <Loaded query={other}>{(b) => <Calls left={a} right={b} />}</Loaded>}</Loaded>;
}

function Calls({ left, right }: { left: readonly ObservationView[]; right: readonly ObservationView[] }): ReactNode {
  const t = useTexts();
  const rows = useMemo(
    () =>
      align(left, right, {
        key: ({ tool, args, status }) => `${tool} ${status} ${JSON.stringify(args)}`,
        kind: ({ tool }) => tool,
      }),
    [left, right],
  );
  return (
    <PairTable title={t.toolCalls} rows={rows} none={t.noToolCalls}>
      {(call) => <Call call={call} />}
    </PairTable>
  );
}

function Call({ call: { id, tool, args, status, content } }: { call: ObservationView }): ReactNode {
  return (
    <>
      <span className="mono">
        <UntrustedText text={`${id} ${tool} ${JSON.stringify(args)}`} most={300} />
      </span>
      {status !== 'ok' && (
        <div>
          <Badge tone="bad">{status}</Badge>
        </div>
      )}
      <details>
        <summary className="quiet">
          <UntrustedText text={content.replace(/\s+/g, ' ').slice(0, 90)} />
        </summary>
        <CodeBlock text={content} label={id} />
      </details>
    </>
  );
}
