import type { ReactNode } from 'react';
import type { ClaimView } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import './claim-state.css';

const states: Readonly<Record<ClaimView['state'], [Tone, keyof Texts]>> = {
  supported: ['good', 'claimSupported'],
  recomputed: ['active', 'claimRecomputed'],
  unsupported: ['bad', 'claimUnsupported'],
};

/** How a claim stands, by shape and word. */
export function ClaimState({ state }: { state: ClaimView['state'] }): ReactNode {
  const t = useTexts();
  const [tone, key] = states[state];
  return (
    <span className="claim-state">
      <Badge tone={tone}>{t[key]}</Badge>
    </span>
  );
}
