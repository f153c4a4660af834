/** What Node calls experimental and we rely on; every other warning is shown as usual. */
const expected = /SQLite is an experimental feature|Type Stripping is an experimental feature/;

/** Keeps those two warnings from the user's screen. */
export function quietWarnings(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && expected.test(warning.message)) return;
    for (const print of printers) print(warning);
  });
}
