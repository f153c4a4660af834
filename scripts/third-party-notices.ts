/** The licences of the packages whose code a bundle holds, as they ask to be passed on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Bundled {
  name: string;
  version: string;
  licence: string;
  text: string;
}

const licenceName = /^(licen[cs]e|copying|notice)(\.|$)/i;

/** One text for all packages that the modules belong to. Throws where a package says nothing of its licence. */
export function thirdPartyNotices(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((id) => packageFolder(id) ?? []));
  const packages = [...folders].map(read).sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = packages.map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}`);
  return ['This package holds code of the packages below, under their licences.', ...parts].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

/** The folder with the manifest that a module in `node_modules` belongs to. */
function packageFolder(id: string): string | undefined {
  const at = id.lastIndexOf('/node_modules/');
  if (at < 0) return undefined;
  const [scope = '', name = ''] = id.slice(at + '/node_modules/'.length).split('/');
  return join(id.slice(0, at), 'node_modules', scope.startsWith('@') ? `${scope}/${name}` : scope);
}

function read(folder: string): Bundled {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const field = (name: string): string => String(Reflect.get(Object(manifest), name) ?? '');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => licenceName.test(name)) : [];
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  if (field('license') === '') throw new Error(`${dirname(folder)}: ${field('name')} names no licence`);
  return { name: field('name'), version: field('version'), licence: field('license'), text };
}
