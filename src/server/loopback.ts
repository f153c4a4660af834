/** Names and addresses that only this machine answers to. */

/** Whether a host name or address, without a port, is loopback: `localhost`, below `.localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return name === '::1' || /^127(?:\.(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])){3}$/.test(name);
}

/** The host of a `Host` header without its port; undefined when it is none. */
export function hostOf(header: string | null): string | undefined {
  return /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(header ?? '')?.[1];
}
