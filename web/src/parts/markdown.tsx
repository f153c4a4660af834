import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useTexts } from '../i18n/i18n.tsx';
import { visibleText } from './visible-text.ts';

/** Schemes a link may have; of another one only the words are left. */
const followed = /^(?:https?|mailto):/i;

/**
 * Markdown of a model: no HTML, nothing is loaded, and a link says where it leads, since its words are the model's.
 */
export function Markdown({ text }: { text: string }): ReactNode {
  return (
    <div className="markdown" dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={components}
        urlTransform={(url) => (followed.test(url) ? url : '')}
      >
        {visibleText(text)}
      </ReactMarkdown>
    </div>
  );
}

const components: Components = {
  a: ({ href, children }) => <OutwardLink href={href}>{children}</OutwardLink>,
  img: ({ src, alt }) => <AbsentImage src={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
};

function OutwardLink({ href, children }: { href: string | undefined; children: ReactNode }): ReactNode {
  const t = useTexts();
  if (!href) return <span>{children}</span>;
  return (
    <>
      <a href={href} target="_blank" rel="noreferrer noopener" title={`${t.leaves}: ${href}`}>
        {children}
      </a>{' '}
      <span className="target">({href})</span>
    </>
  );
}

function AbsentImage({ src, alt }: { src: string; alt: string }): ReactNode {
  const t = useTexts();
  return (
    <span className="target">
      [{t.imageLeftOut}: {alt} {src}]
    </span>
  );
}
