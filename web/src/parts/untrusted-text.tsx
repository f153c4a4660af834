import { type ReactNode, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { beginning, visiblePieces } from './visible-text.ts';

/** Characters shown before somebody asks for more: a line of a megabyte must not stop the page. */
const shownAtFirst = 4_000;

/** Text that a model or a tool wrote, as text: nothing in it is markup, and what would hide is written out. */
export function UntrustedText({ text, most = shownAtFirst }: { text: string; most?: number }): ReactNode {
  const t = useTexts();
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > most;
  return (
    <>
      <span dir="auto">
        {visiblePieces(cut ? beginning(text, most) : text).map((piece, index) =>
          piece.type === 'text' ? (
            piece.text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
            <span key={index} className="hidden-mark mono">
              {piece.name}
            </span>
          ),
        )}
      </span>
      {cut && (
        <button type="button" className="button small plain" onClick={() => setWhole(true)}>
          … {t.more} ({text.length.toLocaleString('en')} {t.characters})
        </button>
      )}
    </>
  );
}

/** The same in a frame of its own, with its lines. */
export function CodeBlock({ text, label }: { text: string; label?: string }): ReactNode {
  return (
    // A frame that scrolls has to be reached by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs the focus
    <section className="code-block" tabIndex={0} aria-label={label ?? 'text'}>
      <pre>
        <UntrustedText text={text} />
      </pre>
    </section>
  );
}

/** A value as indented JSON. */
export function JsonBlock({ value, label }: { value: unknown; label?: string }): ReactNode {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
  return <CodeBlock text={text} {...(label !== undefined && { label })} />;
}
