import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.ts';
import { buildFor, installLlamaRuntime } from '../../src/model/local/runtime.ts';

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const longestInstallMs = 120_000;

/** Bytes of the files below a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

/** What the library and one build take here. */
export function installedBytes(): { library: number; build: string; buildBytes: number } {
  const build = buildFor(process.platform, process.arch, false);
  return {
    library: bytesIn(realpathSync(join(packages, 'node-llama-cpp'))),
    build,
    buildBytes: bytesIn(realpathSync(join(packages, '@node-llama-cpp', build))),
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
export async function installOnDemand(): Promise<{ fetched: number; written: number; ms: number } | string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-install-'));
  const npmCache = join(folder, 'npm');
  const env = { ...process.env, ASSAY_CACHE: folder, npm_config_cache: npmCache, npm_config_fetch_retries: '0' };
  try {
    const began = performance.now();
    const place = await installLlamaRuntime({ env, signal: AbortSignal.timeout(longestInstallMs) });
    return { fetched: archiveBytesIn(npmCache), written: bytesIn(place), ms: performance.now() - began };
  } catch (error) {
    return messageOf(error).split('\n')[0] ?? '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
