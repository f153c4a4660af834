/** What a visitor does with the demo, in a real browser: start, watch, read, decide, forget, look up, fork, compare. */
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Desk } from '../e2e/cli-process.ts';
import { call, listOf } from '../e2e/server-fixture.ts';
import { allTold, browserNote, launchBrowser, openTab, type Tab, withoutBrowser } from './browser.ts';
import { type DemoServer, startDemo } from './demo-server.ts';

const suite = join(import.meta.dirname, '../../examples/suites/price-desk');
const task = 'SKU-42, 37 units at ten percent off: what is the total?';

describe.skipIf(withoutBrowser)(`the inspector${browserNote}`, { timeout: 40_000 }, () => {
  let desk: Desk;
  let demo: DemoServer;
  let browser: Browser;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    desk = new Desk();
    const evaluated = desk.assay(['eval', suite, '--limit', '10', '--solvers', 'direct,full']);
    demo = await startDemo(desk, { pace: 40 });
    expect((await evaluated).code).toBe(0);
    tab = await openTab(browser);
    page = tab.page;
    await page.goto(`${demo.url}/`);
    await page.evaluate('window.sameDocument = true');
  }, 60_000);

  afterEach(async () => {
    expect(tab.problems).toEqual([]);
    // Nothing of all this needs a reload.
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    desk?.remove();
  });

  const inBar = (name: string): Locator => page.locator('header.top').getByRole('link', { name });
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

  async function startSample(title: string): Promise<void> {
    await inBar('Runs').click();
    await page.locator('.page-head').getByRole('button', { name: 'New run' }).click();
    await page.getByRole('button', { name: title }).click();
    await button('Start').click();
    await page.locator('.timeline li').first().waitFor();
  }

  const status = (word: string): Promise<void> => page.locator('.run-head').getByText(word, { exact: true }).waitFor();

  test('starts the demo and shows it live to its end', async () => {
    await startSample('What does an order cost?');
    const revised = page.locator('.run-head').getByText('revised', { exact: true });
    const line = page.locator('.timeline li').first();
    const lengths = new Set<string | null>();
    while (!(await revised.isVisible())) {
      lengths.add(await line.getAttribute('aria-setsize'));
      await page.waitForTimeout(20);
    }
    expect(lengths.size).toBeGreaterThan(2);
    await allTold(page);
  });

  test('follows a claim to its quote inside the observation', async () => {
    await page.getByRole('link', { name: 'Answer and evidence' }).click();
    await page.getByRole('button', { name: /SKU-42 costs 129.00 euros/ }).click();
    const quote = page.locator('.cited mark');
    expect(await quote.textContent()).toContain('129.00');
    expect(await page.locator('.cited pre', { has: page.locator('mark') }).textContent()).toContain('Deck lamp, brass');
    expect(await quote.isVisible()).toBe(true);
    await page.getByRole('button', { name: /recomputed.*3,483.00/ }).waitFor();
    await page.getByRole('heading', { name: 'From the draft to the answer' }).waitFor();
  });

  test('forks from a step with another observation, and compares the two runs', async () => {
    await page.getByRole('link', { name: 'Steps' }).click();
    await page
      .getByRole('row', { name: /tool\.searchDocs.*obs-1/ })
      .getByRole('button', { name: 'Fork' })
      .click();
    const observed = page.getByLabel('Change what the tool returned');
    expect(await observed.inputValue()).toContain('129.00');
    await observed.fill(`${await observed.inputValue()}\nchanged by a human`);
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click();
    await page.getByText('A human changed an observation of this run').waitFor();
    await status('revised');
    await page.getByRole('link', { name: 'Compare' }).click();
    const calls = page.getByRole('row', { name: /searchDocs/ }).filter({ hasText: 'changed' });
    await calls.first().waitFor();
    expect(await page.getByRole('columnheader', { name: task }).count()).toBe(2);
  });

  test('approves a write after seeing what would be sent and where it comes from', async () => {
    await startSample('Send an offer');
    await status('awaiting approval');
    const offer = page.url();
    await inBar('Approvals').click();
    const card = page.getByRole('article', { name: 'Approval of sendOffer' });
    await card.getByText('Exactly as it will run').click();
    const exact = await card.locator('details pre').textContent();
    expect(exact).toContain('"to":"offers@saltmarsh-museum.example"');
    await card.getByText(/“offers@saltmarsh-museum.example” comes from/).waitFor();
    await card.getByRole('link', { name: 'obs-1 (searchDocs)' }).first().waitFor();
    await button('Approve').click();
    await page.getByText('No call waits for a decision.').waitFor();
    await page.getByText('Approved; the run goes on.').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(offer).hash)}`);
    await status('completed');
    const { body } = await call(`${demo.url}/v1/runs/${/runs\/([^/?]+)/.exec(offer)?.[1]}`);
    expect(String(body['answer'])).toContain('984.00');
  });

  test('forgets a lesson', async () => {
    await inBar('Lessons').click();
    await page.getByRole('article').getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByText('The lesson is forgotten.').waitFor();
    const lessons = listOf((await call(`${demo.url}/v1/lessons`)).body['lessons']);
    expect(lessons.filter(({ lesson }) => String(lesson) !== '')).toEqual([]);
  });

  test('opens an evaluation, and goes down to a run that failed', async () => {
    await inBar('Evaluations').click();
    await page.getByRole('link', { name: 'price-desk' }).click();
    await page.getByText('No real model').waitFor();
    await page
      .getByRole('rowheader', { name: /direct/ })
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Failed runs' }).getByRole('link').first().click();
    await page.locator('.timeline li').first().waitFor();
  });

  test('is used with the keyboard alone', async () => {
    await page.evaluate(`location.hash = '/runs'`);
    await page.locator('table.runs a').first().waitFor();
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent.trim()');
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let presses = 0; presses < 40; presses++) {
        if (name.test(await focused())) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not lead to ${name}`);
    };
    await tabTo(/^New run$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(/^What does an order cost/);
    await page.keyboard.press('Enter');
    await tabTo(/^Start$/);
    await page.keyboard.press('Enter');
    await status('revised');
    await tabTo(/^Answer and evidence$/);
    await page.keyboard.press('Enter');
    await page.locator('.claim').first().waitFor();
    await tabTo(/SKU-42 costs 129/);
    await page.keyboard.press('Space');
    await page.locator('.cited mark').waitFor();
  });
});
