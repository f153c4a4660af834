/** A server that dies in the middle of a run that somebody watches, and comes back. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Desk } from '../e2e/cli-process.ts';
import { call, listOf } from '../e2e/server-fixture.ts';
import { allTold, browserNote, launchBrowser, openTab, withoutBrowser } from './browser.ts';
import { type DemoServer, startDemo } from './demo-server.ts';

/** What an outage leaves in the console; nothing else may be there. */
const outage = /ERR_(CONNECTION_|INCOMPLETE_CHUNKED|EMPTY_RESPONSE|SOCKET_NOT)/;

/** The lines of the timeline without their times. The window is high enough for all. */
function linesIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('.timeline li')].map((line) => line.getAttribute('data-index') + ' ' +
      line.querySelector('.line-body').textContent)`,
  );
}

describe.skipIf(withoutBrowser)(`a server that is killed and started again${browserNote}`, () => {
  let desk: Desk;
  let demo: DemoServer;
  let browser: Browser;

  beforeAll(async () => {
    desk = new Desk();
    browser = await launchBrowser();
    demo = await startDemo(desk, { pace: 120 });
  }, 40_000);

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    desk?.remove();
  });

  test('the page goes on by itself, without a gap and without a line twice', { timeout: 40_000 }, async () => {
    const [sample] = listOf((await call(`${demo.url}/v1/me`)).body['samples']);
    const { body: run } = await call(`${demo.url}/v1/runs`, {
      body: { task: sample?.['task'], agent: sample?.['agent'] },
    });
    const { page, problems } = await openTab(browser, { viewport: { width: 1280, height: 6000 } });
    await page.goto(`${demo.url}/#/runs/${run['id']}`);
    await page.locator('.timeline li').nth(8).waitFor();
    await demo.kill();
    await page.getByText('reconnecting').waitFor();
    demo = await startDemo(desk, { pace: 15, port: demo.port });
    await page.locator('main').getByText('revised', { exact: true }).first().waitFor();
    await allTold(page);

    const watched = await linesIn(page);
    await page.reload();
    await allTold(page);
    await page
      .locator('.timeline li')
      .nth(watched.length - 1)
      .waitFor();
    expect(watched).toEqual(await linesIn(page));
    expect(watched.length).toBeGreaterThan(20);
    expect(problems.filter((text) => !outage.test(text))).toEqual([]);
  });
});
