import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const version = '3.21.1';
const longestInstallMs = 120_000;

/** Bytes of the files below a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The build for this machine that is installed here, of those without a graphics processor. */
function platformBuild(): string | undefined {
  const [os, cpu] = [{ darwin: 'mac', win32: 'win' }[process.platform as string] ?? 'linux', process.arch];
  const names = [`${os}-${cpu}`, `${os}-${cpu}-metal`, cpu === 'arm' ? 'linux-armv7l' : ''];
  return readdirSync(join(packages, '@node-llama-cpp')).find((name) => names.includes(name));
}

/** What the library and one build take here. */
export function installedBytes(): { library: number; build: string; buildBytes: number } {
  const build = platformBuild() ?? '';
  return {
    library: bytesIn(realpathSync(join(packages, 'node-llama-cpp'))),
    build,
    buildBytes: build === '' ? 0 : bytesIn(realpathSync(join(packages, '@node-llama-cpp', build))),
  };
}

/** The archives in an npm cache; what else is there describes packages. */
function archiveBytesIn(cache: string): number {
  const isArchive = (file: string): boolean => readFileSync(file).readUInt16BE() === 0x1f8b;
  return readdirSync(join(cache, '_cacache', 'content-v2'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && isArchive(join(entry.parentPath, entry.name)))
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

/** What an installation on demand fetches and writes, measured with an empty cache; the reason when there is no registry to ask. */
export function installOnDemand(): { fetched: number; written: number; ms: number } | string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-install-'));
  const [place, cache] = [join(folder, 'place'), join(folder, 'cache')];
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const wanted = [`node-llama-cpp@${version}`, `@node-llama-cpp/${platformBuild()}@${version}`];
  const quiet = ['--omit=optional', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', `--cache=${cache}`];
  try {
    const began = performance.now();
    const { status, stderr, error } = spawnSync('npm', ['install', ...quiet, ...wanted], {
      cwd: place,
      encoding: 'utf8',
      timeout: longestInstallMs,
      shell: process.platform === 'win32',
    });
    if (status !== 0) return error?.message ?? stderr.trim().split('\n')[0] ?? 'npm failed';
    const ms = performance.now() - began;
    return { fetched: archiveBytesIn(cache), written: bytesIn(join(place, 'node_modules')), ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
