/**
 * Says what the first view of the built page weighs, compressed, and fails above the limit. `node web/scripts/size.ts` after
 * `npm run web:build`.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Bytes of compressed JavaScript. */
const most = 200_000;
const folder = new URL(`../${process.argv[2] ?? 'dist'}/`, import.meta.url);

let page: string;
try {
  page = readFileSync(new URL('index.html', folder), 'utf8');
} catch {
  throw new Error(`There is no built page in ${folder.pathname}. Build it with \`npm run web:build\`.`);
}
const names = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name]) => name ?? '');
const sizes = names.map((name) => ({
  name,
  bytes: gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length,
}));
const scripts = sizes.filter(({ name }) => name.endsWith('.js'));
if (scripts.length === 0) throw new Error('The built page names no script; its format is not the one this reads.');
const total = scripts.reduce((sum, { bytes }) => sum + bytes, 0);

for (const { name, bytes } of sizes) console.log(`${(bytes / 1_000).toFixed(1).padStart(7)} kB  ${name}`);
console.log(
  `${(total / 1_000).toFixed(1).padStart(7)} kB  JavaScript of the first view, gzip; the limit is ${most / 1_000} kB`,
);
if (total > most) {
  console.error(
    'Too much: load what the first view does not show when it is opened (see the lazy routes in src/router.tsx).',
  );
  process.exitCode = 1;
}
