import { type ReactNode, useSyncExternalStore } from 'react';

interface Said {
  id: number;
  text: string;
}

/** Milliseconds a message stays; long enough to be read twice. */
const shownMs = 5_000;

let said: readonly Said[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Said[]): void {
  said = next;
  for (const listener of listeners) listener();
}

/** Says in the corner, and to screen readers, that something was done. What went wrong is said where it went wrong, and stays. */
export function say(text: string): void {
  const id = ++lastId;
  change([...said, { id, text }]);
  setTimeout(() => change(said.filter((one) => one.id !== id)), shownMs);
}

/** Where the messages appear; once in the page. */
export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          {text}
        </div>
      ))}
    </div>
  );
}
