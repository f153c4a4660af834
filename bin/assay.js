#!/usr/bin/env node
// The command. In a checkout it runs the source as it is; in an installed package, the compiled files.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `assay needs Node 22.18 or newer; this is ${process.versions.node}. In a checkout, \`npm run assay -- ...\` uses its own, once \`npm ci\` has installed it.`,
  );
  process.exit(2);
}
const source = new URL('../src/cli/main.ts', import.meta.url);
// An import of node:fs loads more than all of this.
const { existsSync } = process.getBuiltinModule('node:fs');
const entry = existsSync(source) ? source : new URL('../dist/cli/main.js', import.meta.url);
const { main } = await import(entry.href);
await main(process.argv.slice(2));
