/** axe finds nothing, not even what is minor: every view, both themes, a desk and a phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserNote, launchBrowser, openTab, type Tab, withoutBrowser } from './browser.ts';
import { type Scene, setScene, type View, viewsOf } from './scene.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const widths = [1280, 390];
/** By theme, what axe looks at: only colours are others in the dark. */
const themes = { light: '', dark: `runOnly: ['color-contrast', 'link-in-text-block']` };

/** One line for each place that breaks a rule, and one when the whole page would scroll sideways. */
function findings(page: Page, rules: string): Promise<string[]> {
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'], ${rules} }).then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200)))
    .concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['wider than the screen'] : []))`);
}

describe.skipIf(withoutBrowser)(`every view${browserNote}`, { timeout: 60_000 }, () => {
  let scene: Scene;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    browser = await launchBrowser();
    scene = await setScene();
    tab = await openTab(browser);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await scene?.close();
  });

  test('is accessible in both themes, on a desk and on a phone, and no wider than the screen', async () => {
    const found = new Map<string, string[]>();
    for (const [name, view] of viewsOf(scene)) {
      await open(view);
      for (const width of widths) {
        await tab.page.setViewportSize({ width, height: 800 });
        for (const [theme, rules] of Object.entries(themes)) {
          await tab.page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
          found.set(`${name} ${width} ${theme}`, await findings(tab.page, rules));
        }
      }
    }
    expect(Object.fromEntries([...found].filter(([, lines]) => lines.length > 0))).toEqual({});
    expect(found.size).toBe(viewsOf(scene).size * widths.length * 2);
    expect(tab.problems).toEqual([]);
  });

  /** As a document of its own, with axe in it, though not as an element of the page, which its policy forbids. */
  async function open({ address, shows }: View): Promise<void> {
    await tab.page.setViewportSize({ width: 1280, height: 800 });
    await tab.page.goto(`${scene.url}/#${address}`);
    await tab.page.reload();
    await tab.page.locator(shows).first().waitFor();
    await tab.page.evaluate(axe);
  }
});
