import { type ReactNode, useEffect, useState } from 'react';

/** Milliseconds without a key before a search begins. */
const typingMs = 250;

/** A field to search with; it says what was typed when the typing pauses. `/` goes to it where a list has keys. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // It waits for the last key, and then calls whom the latest drawing named.
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <input
      className="input"
      type="search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
