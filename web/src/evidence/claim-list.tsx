import type { ReactNode } from 'react';
import type { ClaimView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { beginning, visibleText } from '../parts/visible-text.ts';
import { ClaimState } from './claim-state.tsx';
import { IssueList } from './issue-list.tsx';

/** Characters of a claim in its line. */
const shownText = 600;

interface ClaimListProps {
  claims: readonly ClaimView[];
  /** The place of the chosen claim. */
  chosen: number | undefined;
  onChoose: (place: number) => void;
}

/** The claims of an answer; each says by shape and word how it stands. */
export function ClaimList({ claims, chosen, onChoose }: ClaimListProps): ReactNode {
  const t = useTexts();
  return (
    <section className="stack" aria-label={t.claims}>
      <h2>
        {t.claims} <span className="quiet numbers">{claims.length}</span>
      </h2>
      {claims.length === 0 ? <p className="quiet">{t.noClaims}</p> : <p className="quiet">{t.claimHelp}</p>}
      <ol className="claims">
        {claims.map((claim, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the claims of an answer never change places, and two may say the same
          <li key={place}>
            <button
              type="button"
              className="claim"
              aria-pressed={place === chosen}
              aria-controls="cited"
              onClick={() => onChoose(place)}
            >
              <ClaimState state={claim.state} />
              <span dir="auto">{visibleText(beginning(claim.text, shownText))}</span>
            </button>
            {claim.issues.length > 0 && <IssueList issues={claim.issues} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
