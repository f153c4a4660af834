import type { ReactNode } from 'react';
import type { CallView, PromptMessage, PromptPart } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { duration } from '../parts/amounts.ts';
import { JsonBlock } from '../parts/json-block.tsx';
import { CacheShare, Cost, Tokens } from '../parts/spent.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';

/** A call of a model: what was new in its prompt stands out, what the request before had too is folded away, and then the reply. */
export function CallDetails({ call }: { call: CallView }): ReactNode {
  const t = useTexts();
  const { prompt, shared, tools, reply, usage, model, ms } = call;
  return (
    <div className="stack">
      <dl className="facts">
        <Fact name={t.eventModel}>
          <UntrustedText text={model} most={100} />
        </Fact>
        <Fact name={t.tokens}>
          <Tokens usage={usage} />
        </Fact>
        <Fact name={t.cacheShare}>
          <CacheShare usage={usage} />
        </Fact>
        <Fact name={t.cost}>
          <Cost usage={usage} />
        </Fact>
        {ms !== undefined && <Fact name={t.duration}>{duration(ms)}</Fact>}
      </dl>
      <p className="caption">{t.prompt}</p>
      {shared > 0 && (
        <details className="fold">
          <summary>
            {shared} {t.sameAsBefore}
          </summary>
          <Messages messages={prompt.slice(0, shared)} />
        </details>
      )}
      <Messages messages={prompt.slice(shared)} areFresh={shared > 0} />
      {tools.length > 0 && (
        <details className="fold">
          <summary>
            {t.toolsOffered}: {tools.map(({ name }) => name).join(', ')}
          </summary>
          <JsonBlock value={tools} label={t.toolsOffered} />
        </details>
      )}
      <p className="caption">{t.reply}</p>
      {reply.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a recorded reply never change places
        <Part key={place} part={part} />
      ))}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Messages({
  messages,
  areFresh = false,
}: {
  messages: readonly PromptMessage[];
  areFresh?: boolean;
}): ReactNode {
  return (
    <ol className="stack">
      {messages.map(({ role, content }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a recorded prompt never change places
        <li key={place} className={`message ${areFresh ? 'fresh' : ''}`}>
          <p className="caption">{role}</p>
          {typeof content === 'string' ? (
            <CodeBlock text={content} label={role} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            content.map((part, number) => <Part key={number} part={part} />)
          )}
        </li>
      ))}
    </ol>
  );
}

function Part({ part }: { part: PromptPart }): ReactNode {
  const { type, text, toolName, input, output } = part;
  if (type === 'text' || type === 'reasoning') return <CodeBlock text={text ?? ''} label={type} />;
  return (
    <div className="stack">
      <span className="mono quiet">
        {type} <UntrustedText text={toolName ?? ''} most={100} />
      </span>
      <Carried value={parsed(input ?? textOf(output) ?? part)} label={toolName ?? type} />
    </div>
  );
}

function Carried({ value, label }: { value: unknown; label: string }): ReactNode {
  return typeof value === 'string' ? (
    <CodeBlock text={value} label={label} />
  ) : (
    <JsonBlock value={value} label={label} />
  );
}

/** The text of a tool's result, which is all that most of them hold. */
function textOf(output: unknown): unknown {
  const isText = typeof output === 'object' && output !== null && Reflect.get(output, 'type') === 'text';
  return isText ? Reflect.get(output, 'value') : output;
}

/** The arguments of a call come as the text of a JSON object. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*[{[]/.test(input)) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
