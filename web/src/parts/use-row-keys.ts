import { useEffect } from 'react';

const moves: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/**
 * Keys of a list: j and k go from row to row, the arrows too once a row has the focus, and `/` goes to the search field. A row is the
 * element with `data-row`, a link or a button, so Enter opens it as always.
 */
export function useRowKeys(): void {
  useEffect(() => {
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
  const target = event.key === '/' ? document.querySelector<HTMLElement>('input[type="search"]') : rowFor(event.key);
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function rowFor(key: string): HTMLElement | undefined {
  const move = moves[key];
  if (move === undefined) return undefined;
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const active = document.activeElement;
  const place = active instanceof HTMLElement ? rows.indexOf(active) : -1;
  if (place < 0) return key.startsWith('Arrow') ? undefined : rows[0];
  return rows[place + move];
}

/** Whoever types or answers a dialog means no row. */
function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null;
}
