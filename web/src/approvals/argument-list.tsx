import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { MarkedBlock } from '../evidence/marked-block.tsx';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import type { ArgumentText } from './tainted-arguments.ts';

const shownAtFirst = 60;

/** The arguments of a call; what came from elsewhere is lit up, and says from where. */
export function ArgumentList({ run, texts }: { run: string; texts: readonly ArgumentText[] }): ReactNode {
  const t = useTexts();
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <div className="stack">
      <dl className="arguments">
        {texts.slice(0, shown).map((argument) => (
          <Argument key={argument.at} run={run} argument={argument} />
        ))}
      </dl>
      {texts.length > shown && (
        <button type="button" className="button small" onClick={() => setShown(texts.length)}>
          … {t.more} ({texts.length - shown})
        </button>
      )}
    </div>
  );
}

function Argument({ run, argument }: { run: string; argument: ArgumentText }): ReactNode {
  const t = useTexts();
  const { at, text, spans, sources } = argument;
  return (
    <div>
      <dt className="mono">
        <UntrustedText text={at === '' ? '·' : at} most={200} />
      </dt>
      <dd className="stack">
        <MarkedBlock text={text} spans={spans} label={visibleText(at)} isCalm />
        {sources.map((source) => (
          <span key={`${source.at} ${source.source} ${source.text}`} className="row taint">
            <Badge tone="warn">{t.untrusted}</Badge>
            <span>
              “<UntrustedText text={source.text} most={200} />” {t.comesFrom}{' '}
              <Link to="/runs/$runId" params={{ runId: run }}>
                {visibleText(source.source)}
              </Link>
            </span>
          </span>
        ))}
      </dd>
    </div>
  );
}
