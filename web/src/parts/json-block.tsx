import { type ReactNode, useState } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { Frame, UntrustedText } from './untrusted-text.tsx';

/** Members shown before somebody asks for more. */
const shownAtFirst = 100;
/** Levels that are open at first. */
const openLevels = 3;

/** A JSON value as a tree that can be folded. Keys and strings are a stranger's and shown as such. */
export function JsonBlock({ value, label }: { value: unknown; label?: string }): ReactNode {
  return (
    <Frame label={label ?? 'JSON'} copied={() => JSON.stringify(value, undefined, 2) ?? ''}>
      <div className="json">
        <Value value={value} level={0} />
      </div>
    </Frame>
  );
}

function Value({ value, level, name }: { value: unknown; level: number; name?: string }): ReactNode {
  const key = name !== undefined && (
    <>
      <span className="key">
        <UntrustedText text={name} most={200} />
      </span>
      {': '}
    </>
  );
  if (typeof value !== 'object' || value === null) {
    return (
      <div>
        {key}
        {typeof value === 'string' ? <UntrustedText text={JSON.stringify(value)} most={2_000} /> : String(value)}
      </div>
    );
  }
  const members = Object.entries(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (members.length === 0) {
    return (
      <div>
        {key}
        {open}
        {close}
      </div>
    );
  }
  return (
    <details open={level < openLevels}>
      <summary>
        {key}
        {open}
        <span className="key">
          {' '}
          {members.length} {close}
        </span>
      </summary>
      <Members members={members} level={level + 1} areNamed={!Array.isArray(value)} />
    </details>
  );
}

interface MembersProps {
  members: [string, unknown][];
  level: number;
  areNamed: boolean;
}

function Members({ members, level, areNamed }: MembersProps): ReactNode {
  const t = useTexts();
  const [shown, setShown] = useState(shownAtFirst);
  return (
    <div className="members">
      {members.slice(0, shown).map(([key, value]) => (
        <Value key={key} value={value} level={level} {...(areNamed && { name: key })} />
      ))}
      {members.length > shown && (
        <button type="button" className="button small plain" onClick={() => setShown(shown + 10 * shownAtFirst)}>
          … {t.more} ({members.length - shown})
        </button>
      )}
    </div>
  );
}
