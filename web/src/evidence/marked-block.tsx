import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { count } from '../parts/amounts.ts';
import { Frame, UntrustedText } from '../parts/untrusted-text.tsx';
import { aroundMarks, markedPieces, type Span } from './marked-text.ts';
import './marked-block.css';

/** Characters that are seen beside a quote before somebody asks for more. */
const context = 1_500;

/** An untrusted text with quotes lit up in it; the first one comes into sight, unless the text is to stay calm. */
export function MarkedBlock({
  text,
  spans,
  label,
  isCalm = false,
}: {
  text: string;
  spans: readonly Span[];
  label: string;
  isCalm?: boolean;
}): ReactNode {
  const t = useTexts();
  const pieces = useMemo(() => aroundMarks(markedPieces(text, spans), context), [text, spans]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const first = useRef<HTMLElement>(null);
  const firstFrom = pieces.find(({ type }) => type === 'mark')?.from;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other spans put another quote into sight
  useEffect(() => {
    if (!isCalm) first.current?.scrollIntoView({ block: 'center' });
  }, [spans]);
  return (
    <Frame label={label} copied={() => text}>
      <pre>
        {pieces.map(({ type, text: piece, from }) =>
          type === 'mark' ? (
            <mark key={from} ref={from === firstFrom ? first : undefined}>
              <UntrustedText text={piece} />
            </mark>
          ) : type === 'gap' && !opened.has(from) ? (
            <button
              key={from}
              type="button"
              className="button small plain"
              onClick={() => setOpened(new Set([...opened, from]))}
            >
              … {t.more} ({count(piece.length)} {t.characters})
            </button>
          ) : (
            <UntrustedText key={from} text={piece} />
          ),
        )}
      </pre>
    </Frame>
  );
}
