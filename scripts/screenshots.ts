/**
 * The pictures of the documents: `node scripts/screenshots.ts [FOLDER]` serves the demo in an empty home, uses it as a visitor would,
 * and takes each view in both themes, two of them on a phone and one in Chinese. Default folder: docs/images.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openTab, type TabOptions } from '../test/browser/browser.ts';
import { type Scene, setScene } from '../test/browser/scene.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/images');
/** Bytes; the documents are cloned with everything else. */
const most = 200_000;

interface Shot {
  name: string;
  address(scene: Scene): string;
  /** What is done before the picture is taken. */
  prepare?(page: Page): Promise<void>;
}

const shots: readonly Shot[] = [
  { name: 'runs', address: () => '/runs' },
  { name: 'run', address: ({ runs }) => `/runs/${runs.order}` },
  {
    name: 'evidence',
    address: ({ runs }) => `/runs/${runs.order}/evidence?claim=0`,
    prepare: async (page) => {
      await page.locator('mark').first().waitFor();
      await page.evaluate('scrollTo(0, 0)');
    },
  },
  { name: 'calls', address: ({ runs }) => `/runs/${runs.order}/calls?call=2` },
  { name: 'steps', address: ({ runs }) => `/runs/${runs.order}/steps` },
  { name: 'approvals', address: () => '/approvals' },
  { name: 'lessons', address: () => '/lessons' },
  { name: 'evaluations', address: () => '/evaluations' },
  { name: 'evaluation', address: ({ evaluation }) => `/evaluations/${evaluation}` },
  { name: 'compare', address: ({ runs }) => `/compare?a=${runs.order}&b=${runs.fork}` },
  {
    name: 'start',
    address: () => '/runs',
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
    for (const shot of shots) await take(shot, theme, { theme });
    for (const shot of shots.slice(0, 2)) {
      await take(shot, `phone-${theme}`, { theme, viewport: { width: 390, height: 844 } });
    }
  }
  for (const shot of shots.slice(0, 2)) await take(shot, 'zh', { language: 'zh' });
} finally {
  await browser.close();
  await scene.close();
}

async function take({ name, address, prepare }: Shot, kind: string, options: TabOptions): Promise<void> {
  const tab = await openTab(browser as Browser, options);
  const { page } = tab;
  await page.goto(`${scene.url}/#${address(scene)}`);
  await page.waitForLoadState('networkidle');
  await prepare?.(page);
  const path = join(folder, `${name}-${kind}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = statSync(path);
  console.log(`${(size / 1_000).toFixed(0).padStart(5)} kB  ${name}-${kind}.png`);
  if (size > most) throw new Error(`${path} is larger than ${most / 1_000} kB; show less of the page.`);
  if (tab.problems.length > 0) throw new Error(`${name}: ${tab.problems.join('\n')}`);
  await tab.close();
}
