import { existsSync, readFileSync } from 'node:fs';

/** The folder of this package as a URL, with a slash at its end: wherever a bundler has put this file, it is the nearest one with a manifest. */
export function packageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('..', folder);
    if (parent.href === folder.href)
      throw new Error(`no package.json above ${import.meta.url}: the installation is incomplete, install assay again`);
    folder = parent;
  }
  return folder;
}

/** Whether the source runs as it is, and not the compiled package. */
export function runsFromSource(): boolean {
  return import.meta.url.endsWith('.ts');
}

/** The version in the manifest. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8'));
  return String(Reflect.get(Object(manifest), 'version'));
}
