import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser, openerOf } from './open-browser.ts';

function folderWith(script: string): { folder: string; opened: string } {
  const folder = mkdtempSync(join(tmpdir(), 'open-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'xdg-open');
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return { folder, opened: join(folder, 'opened') };
}

test('each system has its program, and a machine without a screen has none', () => {
  const { folder } = folderWith('');
  expect(openerOf('darwin', {})).toEqual(['open']);
  expect(openerOf('win32', {})?.[0]).toBe('cmd');
  expect(openerOf('linux', { DISPLAY: ':0', PATH: `/nowhere:${folder}` })).toEqual(['xdg-open']);
  expect(openerOf('linux', { WAYLAND_DISPLAY: 'w', PATH: folder })).toEqual(['xdg-open']);
  expect(openerOf('linux', { DISPLAY: ':0', PATH: '/nowhere' })).toBeUndefined();
  expect(openerOf('linux', { PATH: folder })).toBeUndefined();
});

test.runIf(process.platform === 'linux')('nothing is opened where nobody sits at a terminal', async () => {
  const { folder, opened } = folderWith('#!/bin/sh\nprintf %s "$1" > "$(dirname "$0")/opened"\n');
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
  });
  process.env = { ...before, DISPLAY: ':0', PATH: `${folder}:${before['PATH']}` };
  openBrowser('http://127.0.0.1:1/#/no', { canAsk: false });
  openBrowser('http://127.0.0.1:1/#/yes', { canAsk: true });
  await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe('http://127.0.0.1:1/#/yes');
});
