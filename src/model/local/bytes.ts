/** Bytes as people read them: `45 MB`, `2.5 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(0, Math.round(bytes / 1_000))} kB`;
  return bytes < 950_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** Bytes that are known about. */
export function aboutSize(bytes: number): string {
  return `about ${sizeText(bytes)}`;
}
