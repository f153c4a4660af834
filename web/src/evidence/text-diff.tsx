import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';
import { wordDiff } from './word-diff.ts';

/** How one text became another: what went is struck through, what came is underlined. */
export function TextDiff({ before, after, label }: { before: string; after: string; label: string }): ReactNode {
  const t = useTexts();
  const parts = useMemo(() => wordDiff(before, after), [before, after]);
  if (!parts) {
    return (
      <div className="stack">
        <p className="quiet">{t.differenceTooLong}</p>
        <CodeBlock text={before} label={t.before} />
        <CodeBlock text={after} label={t.after} />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs the focus
    <section className="diff" tabIndex={0} aria-label={label}>
      {parts.map(({ type, text }, place) => {
        const shown = <UntrustedText text={text} />;
        // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of two texts never change places
        if (type === 'added') return <ins key={place}>{shown}</ins>;
        if (type === 'removed') return <del key={place}>{shown}</del>;
        return <span key={place}>{shown}</span>;
        // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
      })}
    </section>
  );
}
