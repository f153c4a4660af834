import { type ReactNode, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { count } from './amounts.ts';
import { CopyButton } from './copy-button.tsx';
import { beginning, visiblePieces } from './visible-text.ts';

/** Characters shown before somebody asks for more: a line of a megabyte must not stop the page. */
const shownAtFirst = 4_000;
/** How much more each time. */
const growth = 8;

/** Text that a model or a tool wrote, as text: nothing in it is markup, and what would hide is written out. */
export function UntrustedText({ text, most = shownAtFirst }: { text: string; most?: number }): ReactNode {
  const t = useTexts();
  const [shown, setShown] = useState(most);
  const cut = text.length > shown;
  return (
    <>
      <span dir="auto">
        <Pieces text={cut ? beginning(text, shown) : text} />
      </span>
      {cut && (
        <button type="button" className="button small plain" onClick={() => setShown(shown * growth)}>
          … {t.more} ({count(text.length)} {t.characters})
        </button>
      )}
    </>
  );
}

/** The first characters in one line, for places where a click shows all. */
export function UntrustedLine({ text, most = 300 }: { text: string; most?: number }): ReactNode {
  const line = beginning(text, most).replace(/\s+/g, ' ').trim();
  return (
    <span dir="auto">
      <Pieces text={line} />
      {text.length > most && '…'}
    </span>
  );
}

function Pieces({ text }: { text: string }): ReactNode {
  return visiblePieces(text).map((piece, index) =>
    piece.type === 'text' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
      <span key={index} className="hidden-mark mono">
        {piece.name}
      </span>
    ),
  );
}

/** A text in a frame of its own, with its lines. */
export function CodeBlock({ text, label }: { text: string; label?: string }): ReactNode {
  return (
    <Frame label={label} copied={() => text}>
      <pre>
        <UntrustedText text={text} />
      </pre>
    </Frame>
  );
}

/** A frame that scrolls, and is reached by keyboard for that. */
export function Frame({
  label = 'text',
  copied,
  children,
}: {
  label?: string | undefined;
  copied: () => string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: it groups no fields */}
      <div className="code" role="group" tabIndex={0} aria-label={label}>
        {children}
      </div>
      <CopyButton text={copied} what={label} />
    </div>
  );
}
