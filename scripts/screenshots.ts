/**
 * The pictures of the documents: `node scripts/screenshots.ts [FOLDER]` serves the demo in an empty home, uses it as a visitor would,
 * and takes each view in both themes, two of them on a phone and one in Chinese. Default folder: docs/images.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, openTab, type TabOptions } from '../test/browser/browser.ts';
import { setScene, viewsOf } from '../test/browser/scene.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/images');
/** Bytes; the documents are cloned with everything else. */
const most = 200_000;

interface Shot {
  /** Of the view, or of its own. */
  name: string;
  view?: string;
  height?: number;
  /** What is done before the picture is taken. */
  prepare?(page: Page): Promise<unknown>;
}

const shots: readonly Shot[] = [
  { name: 'runs' },
  { name: 'run' },
  { name: 'evidence', height: 1_080 },
  { name: 'calls' },
  { name: 'steps' },
  { name: 'approvals' },
  { name: 'lessons', height: 560 },
  { name: 'evaluations', height: 360 },
  { name: 'evaluation', height: 1_280 },
  { name: 'compare' },
  {
    name: 'start',
    view: 'runs',
    prepare: async (page) => {
      await page.locator('.page-head .button.primary').click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

const scene = await setScene();
const browser = await launchBrowser();
mkdirSync(folder, { recursive: true });
try {
  for (const theme of ['light', 'dark'] as const) {
    for (const shot of shots) await take(shot, theme, { theme, viewport: { width: 1280, height: shot.height ?? 800 } });
    for (const shot of shots.slice(0, 2)) {
      await take(shot, `phone-${theme}`, { theme, viewport: { width: 390, height: 844 } });
    }
  }
  for (const shot of shots.slice(0, 2)) await take(shot, 'zh', { language: 'zh' });
} finally {
  await browser.close();
  await scene.close();
}

async function take({ name, view = name, prepare }: Shot, kind: string, options: TabOptions): Promise<void> {
  const tab = await openTab(browser, options);
  const { page } = tab;
  const shown = viewsOf(scene).get(view);
  if (!shown) throw new Error(`There is no view ${view}.`);
  await page.goto(`${scene.url}/#${shown.address}`);
  await page.locator(shown.shows).first().waitFor();
  await page.waitForLoadState('networkidle');
  await prepare?.(page);
  await page.evaluate('scrollTo(0, 0)');
  const path = join(folder, `${name}-${kind}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = statSync(path);
  console.log(`${(size / 1_000).toFixed(0).padStart(5)} kB  ${name}-${kind}.png`);
  if (size > most) throw new Error(`${path} is larger than ${most / 1_000} kB; show less of the page.`);
  if (tab.problems.length > 0) throw new Error(`${name}: ${tab.problems.join('\n')}`);
  await tab.close();
}
