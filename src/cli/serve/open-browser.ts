/** The browser of whoever sits at the terminal. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Screen } from '../screen.ts';

/** Opens the address. Nothing happens where nobody sits, or where there is no program for it. */
export function openBrowser(url: string, screen: Pick<Screen, 'canAsk'>): void {
  const opener = screen.canAsk ? openerOf(process.platform, process.env) : undefined;
  if (!opener) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // The address was printed too.
  child.on('error', () => undefined);
  child.unref();
}

/** The program that opens an address, with what stands before the address; undefined where there is none. */
export function openerOf(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): [program: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // The first text in quotation marks is the title of a window.
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  // Without a screen it would open a browser in the terminal.
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return undefined;
  const places = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return places.some((folder) => isProgram(join(folder, 'xdg-open'))) ? ['xdg-open'] : undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
