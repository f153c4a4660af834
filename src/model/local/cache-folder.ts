import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where what can be fetched again is kept: `ASSAY_CACHE`, else the folder this system has for it. Nothing is created. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const own = env['ASSAY_CACHE']?.trim();
  if (own) return resolve(own);
  const home = env['HOME']?.trim() || homedir();
  if (platform === 'win32') return join(env['LOCALAPPDATA']?.trim() || join(home, 'AppData', 'Local'), 'assay');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'assay');
  return join(env['XDG_CACHE_HOME']?.trim() || join(home, '.cache'), 'assay');
}

/** The folder of the model files. */
export function modelsFolder(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'models');
}
