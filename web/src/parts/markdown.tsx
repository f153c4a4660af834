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
        rehypePlugins={[showHidden]}
        components={components}
        urlTransform={(url) => (followed.test(url) ? url : '')}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** A node of the tree that Markdown became, as far as it is read here. */
interface TextTree {
  type: string;
  value?: string;
  children?: TextTree[];
}

/** Writes out what hides after Markdown was read: `&#x202e;` is a hidden character too. */
function showHidden(): (tree: TextTree) => void {
  const walk = (node: TextTree): void => {
    if (node.value !== undefined) node.value = visibleText(node.value);
    node.children?.forEach(walk);
  };
  return walk;
}

const components: Components = {
  a: ({ href, children }) => <OutwardLink href={href}>{children}</OutwardLink>,
  img: ({ node, alt }) => <AbsentImage src={String(node?.properties['src'] ?? '')} alt={alt ?? ''} />,
  // A box that nobody can tick is a word.
  input: ({ checked }) => <span>{checked ? '[x]' : '[ ]'}</span>,
};

function OutwardLink({ href, children }: { href: string | undefined; children: ReactNode }): ReactNode {
  const t = useTexts();
  if (!href) return <span>{children}</span>;
  const target = targetOf(href);
  return (
    <>
      <a href={href} target="_blank" rel="noreferrer noopener" title={`${t.leaves}: ${target}`}>
        {children}
      </a>{' '}
      <span className="target">({target})</span>
    </>
  );
}

/** The address as the browser will call it: letters of other scripts in a host are written out. */
function targetOf(href: string): string {
  return visibleText(URL.canParse(href) ? new URL(href).href : href);
}

function AbsentImage({ src, alt }: { src: string; alt: string }): ReactNode {
  const t = useTexts();
  return (
    <span className="target">
      [{t.imageLeftOut}: {visibleText(alt)} {visibleText(src)}]
    </span>
  );
}
