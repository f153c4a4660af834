/** The token of whoever looks, for as long as this tab is open. A server on this machine needs none. */
const place = 'assay-token';
const listeners = new Set<() => void>();

export function currentToken(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

export function setToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, token);
  for (const listener of listeners) listener();
}

export function onToken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
