import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { meQuery } from '../api/queries.ts';
import type { ApprovalView } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { When } from '../parts/when.tsx';
import { ArgumentList } from './argument-list.tsx';
import { DecisionForm } from './decision-form.tsx';
import { argumentTexts } from './tainted-arguments.ts';
import './approvals.css';

const effects: Readonly<Record<string, [Tone, keyof Texts]>> = {
  read: ['plain', 'effectRead'],
  write: ['warn', 'effectWrite'],
  irreversible: ['bad', 'effectIrreversible'],
};

/** A call that waits: what it would do, with what, where that came from, and the decision. */
export function ApprovalCard({ approval, isInRun }: { approval: ApprovalView; isInRun: boolean }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const { tool, args, sources, canonicalArgs, why, effect } = approval;
  const texts = useMemo(() => argumentTexts(args ?? {}, sources ?? []), [args, sources]);
  const [tone, key] = effects[effect ?? ''] ?? ['warn', 'effectUnknown'];
  return (
    <article className="panel stack approval" aria-label={`${t.approvalOf} ${visibleText(tool ?? approval.callId)}`}>
      <div className="row">
        <h2 className="mono">
          <UntrustedText text={tool ?? approval.callId} most={100} />
        </h2>
        <Badge tone={tone}>{t[key]}</Badge>
        {approval.requested !== undefined && (
          <span className="quiet">
            <When at={approval.requested} />
          </span>
        )}
      </div>
      {!isInRun && (
        <p>
          <Link to="/runs/$runId" params={{ runId: approval.run }}>
            {visibleText(approval.task ?? approval.run)}
          </Link>{' '}
          {approval.agent !== undefined && <span className="quiet">{approval.agent}</span>}
        </p>
      )}
      {why !== undefined && (
        <p className="note warn">
          <span>
            {t.whyAsked}: <UntrustedText text={why} most={1_000} />
          </span>
        </p>
      )}
      <ArgumentList run={approval.run} texts={texts} />
      {canonicalArgs !== undefined && (
        <details>
          <summary>{t.canonicalArguments}</summary>
          <CodeBlock text={canonicalArgs} label={t.canonicalArguments} />
        </details>
      )}
      {me.data?.scopes.includes('approve') ? (
        <DecisionForm approval={approval} />
      ) : (
        <p className="quiet">{t.mayNotApprove}</p>
      )}
    </article>
  );
}
