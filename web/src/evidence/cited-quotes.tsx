import { type ReactNode, useMemo } from 'react';
import type { ClaimView, Result } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';
import { MarkedBlock } from './marked-block.tsx';
import type { Span } from './marked-text.ts';

type Observation = Result['attempt']['observations'][number];
type Cited = ClaimView['evidence'][number];

/** The quotes of a claim, lit up inside the observations they came from. */
export function CitedQuotes({
  claim,
  observations,
}: {
  claim: ClaimView;
  observations: readonly Observation[];
}): ReactNode {
  const t = useTexts();
  const places = useMemo(() => bySource(claim.evidence), [claim]);
  return (
    <section id="cited" className="stack cited" aria-label={t.source}>
      <h2>{t.source}</h2>
      {places.length === 0 && <p className="quiet">{t.noQuote}</p>}
      {places.map(({ key, quotes, spans }) => (
        <CitedObservation
          key={key}
          quotes={quotes}
          spans={spans}
          observation={observations.find(({ id, path }) => keyOf({ observation: id, path }) === key)}
        />
      ))}
    </section>
  );
}

interface CitedObservationProps {
  quotes: readonly Cited[];
  spans: readonly Span[];
  observation: Observation | undefined;
}

function CitedObservation({ quotes, spans, observation }: CitedObservationProps): ReactNode {
  const t = useTexts();
  const missing = quotes.filter((quote) => quote.spans.length === 0);
  const name = quotes[0]?.observation ?? '';
  return (
    <article className="stack">
      <div className="row cited-head">
        <h3>
          <UntrustedText text={name} most={60} />
        </h3>
        {observation && (
          <>
            <span className="mono">
              <UntrustedText text={`${observation.tool} ${JSON.stringify(observation.args)}`} most={200} />
            </span>
            {observation.trust === 'untrusted' ? (
              <Badge tone="warn">{t.untrusted}</Badge>
            ) : (
              <span className="quiet">{t.trusted}</span>
            )}
          </>
        )}
      </div>
      {missing.map(({ quote }) => (
        <div key={quote} className="stack">
          <Badge tone="bad">{observation ? t.quoteMissing : t.observationMissing}</Badge>
          <CodeBlock text={quote} label={t.quoteMissing} />
        </div>
      ))}
      {observation && <MarkedBlock text={observation.content} spans={spans} label={observation.id} />}
    </article>
  );
}

interface Place {
  key: string;
  quotes: Cited[];
  spans: Span[];
}

/** An observation is shown once, however many quotes come from it. */
function bySource(evidence: readonly Cited[]): Place[] {
  return [...Map.groupBy(evidence, keyOf)].map(([key, quotes]) => ({
    key,
    quotes,
    spans: quotes.flatMap(({ spans }) => spans),
  }));
}

function keyOf({ observation, path }: { observation: string; path?: string | undefined }): string {
  return `${path ?? '?'} ${observation}`;
}
