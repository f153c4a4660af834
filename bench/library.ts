/** The published code, as users run it: compiled first by `npm run bench`. Typed by the source it is made of. */
const file = '../dist/index.js';
const library: typeof import('../src/index.ts') = await import(file);

export const defineAgent: typeof library.defineAgent = library.defineAgent;
export const inMemoryHost: typeof library.inMemoryHost = library.inMemoryHost;
export const react: typeof library.react = library.react;
export const sqliteHost: typeof library.sqliteHost = library.sqliteHost;
export const tool: typeof library.tool = library.tool;
