import type { ReactNode } from 'react';
import type { Usage } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, money, percent } from './amounts.ts';

/** Tokens in and out; `≈` where some were estimated. */
export function Tokens({ usage }: { usage: Usage }): ReactNode {
  const t = useTexts();
  const about = usage.estimatedCalls > 0;
  return (
    <span className="numbers" title={about ? t.someEstimated : t.tokensInOut}>
      {about ? '≈ ' : ''}
      {count(usage.inputTokens)} → {count(usage.outputTokens)}
    </span>
  );
}

/** The cost; `≥` where the price of some calls is not known. */
export function Cost({ usage }: { usage: Usage }): ReactNode {
  const t = useTexts();
  const least = usage.unpricedCalls > 0 && usage.usd > 0;
  return (
    <span className="numbers" title={usage.unpricedCalls > 0 ? t.someUnpriced : undefined}>
      {least ? '≥ ' : ''}
      {money(usage.usd)}
    </span>
  );
}

/** The part of the input that the provider read from its cache. */
export function CacheShare({ usage }: { usage: Usage }): ReactNode {
  return (
    <span className="numbers">{percent(usage.inputTokens === 0 ? null : usage.cachedTokens / usage.inputTokens)}</span>
  );
}
