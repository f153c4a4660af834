/** What a visitor does with the demo, in a real browser: start, watch, read, decide, forget, look up, fork, compare. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Desk } from '../e2e/cli-process.ts';
import { browserNote, launchBrowser, openTab, type Tab, withoutBrowser } from './browser.ts';
import { type DemoServer, startDemo } from './demo-server.ts';

const suite = join(import.meta.dirname, '../../examples/suites/price-desk');

describe.skipIf(withoutBrowser)(`the inspector${browserNote}`, { timeout: 60_000 }, () => {
  let desk: Desk;
  let demo: DemoServer;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    desk = new Desk();
    const evaluated = desk.assay(['eval', suite, '--limit', '10', '--solvers', 'direct,react']);
    [demo, browser] = await Promise.all([startDemo(desk, { pace: 50 }), launchBrowser()]);
    expect((await evaluated).code).toBe(0);
    tab = await openTab(browser);
    await tab.page.goto(`${demo.url}/`);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    desk?.remove();
  });

  test('starts the demo and shows it live to its end, without a reload', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByRole('button', { name: 'What does an order cost?' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: 'Timeline' }).waitFor();
    await page.evaluate('window.sameDocument = true');
    const lengths = new Set<number>();
    const entries = page.locator('.timeline li').first();
    await entries.waitFor();
    const done = page.locator('main').getByText('revised', { exact: true }).first();
    for (;;) {
      lengths.add(Number(await entries.getAttribute('aria-setsize')));
      if (await done.isVisible()) break;
      await page.waitForTimeout(20);
    }
    expect(lengths.size).toBeGreaterThan(2);
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    expect(tab.problems).toEqual([]);
  });
});
