/** How this command is typed by whoever started it, so that every hint can be pasted. */
export function commandName(env: NodeJS.ProcessEnv = process.env): string {
  // npm names the script it runs; `npx assay` counts as the script `npx`.
  const script = env['npm_lifecycle_event'];
  if (script === 'npx' || env['npm_command'] === 'exec') return 'npx assay';
  return script ? 'npm run assay --' : 'assay';
}

/** A run id short enough to type: the start of a random one, all of a chosen one. */
export function shortId(runId: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(runId) ? runId.slice(0, 8) : runId;
}
