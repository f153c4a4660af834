/** Chromium with a page of the inspector in it, that remembers whatever must not happen. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const args = [
  ...['--no-sandbox', '--disable-gpu', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

const program = chromiumProgram();

/** Why there is no browser test here, as a part of a title; on CI a missing browser is a failure. */
export const withoutBrowser: boolean = program === undefined && !process.env['CI'];
export const browserNote: string = withoutBrowser
  ? ' (skipped: no Chromium on this machine; install it, or name it in CHROMIUM_PATH)'
  : '';

function chromiumProgram(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const known = ['/usr/bin/chromium', ...folders.flatMap((folder) => names.map((name) => join(folder, name)))];
  return (named ? [named] : known).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function launchBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error('No Chromium: install it, or name it in CHROMIUM_PATH.');
  return chromium.launch({ executablePath: program, args });
}

export interface Tab {
  page: Page;
  /** What happened that must not: broken policies, errors, failed or foreign requests. */
  problems: string[];
  close(): Promise<void>;
}

export interface TabOptions extends BrowserContextOptions {
  language?: 'en' | 'zh';
  theme?: 'light' | 'dark';
}

/** A page of its own at 1280 px, with the storage of a new visitor. */
export async function openTab(browser: Browser, options: TabOptions = {}): Promise<Tab> {
  const { language = 'en', theme = 'light', ...context } = options;
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  await opened.addInitScript(`
    localStorage.setItem('assay-language', ${JSON.stringify(language)});
    localStorage.setItem('assay-theme', ${JSON.stringify(theme)});
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
  `);
  const page = await opened.newPage();
  page.setDefaultTimeout(10_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:)/.test(request.url())) problems.push(`foreign: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText;
    // What the page itself gives up, such as the events of a run that is left.
    if (why !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${why}`);
  });
  return { page, problems, close: () => opened.close() };
}

/** Resolves when the shown run has told all its events. */
export async function allTold(page: Page): Promise<void> {
  await page.locator('.run-head [role=status]:empty').waitFor({ state: 'attached' });
}
