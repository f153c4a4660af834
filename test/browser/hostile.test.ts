/** Whatever models, tools, lessons and evaluations say, the page shows as words: nothing of it runs, loads or hides. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { pageFolder } from '../../src/cli/serve/page-folder.ts';
import type { Lesson } from '../../src/core/lesson.ts';
import { evaluationShelf } from '../../src/evals/evaluation-shelf.ts';
import { exact } from '../../src/evals/graders/exact.ts';
import { evaluate } from '../../src/evals/runner/evaluate.ts';
import { defineSuite } from '../../src/evals/suite.ts';
import { inMemoryLessons } from '../../src/memory/in-memory-lessons.ts';
import { scriptedModel } from '../../src/model/providers/script-model.ts';
import { direct } from '../../src/solver/direct.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { tool } from '../../src/tools/tool.ts';
import { call, startServer, type TestServer } from '../e2e/server-fixture.ts';
import { allTold, browserNote, launchBrowser, openTab, type Tab, withoutBrowser } from './browser.ts';

/** What a page must not do, in the ways that texts are known to make pages do it. `canary` counts who loads it. */
function attacks(canary: string): string {
  return [
    '<script>window.ran = "script"</script></script><script>window.ran = "again"</script>',
    `<img src=x onerror="window.ran = 'img'"><img src="${canary}"><svg onload="window.ran = 'svg'"></svg>`,
    `<iframe src="javascript:parent.ran = 'frame'"></iframe><link rel=stylesheet href="${canary}">`,
    `[press](javascript:window.ran='link') [data](data:text/html,<script>parent.ran='data'</script>)`,
    `![picture](${canary}) ![other](data:image/svg+xml;base64,PHN2Zy8+) <${canary}>`,
    `<style>*{display:none}@import url(${canary})</style><base href="${canary}"><meta http-equiv=refresh content="0;${canary}">`,
    'pay \u202e001 EUR\u202c to ad\u200bmin\u2066x\u2069 \u001b[31mred\u001b[0m \u0007 </title></textarea></pre><h1>owned</h1>',
  ].join('\n');
}

const lineLength = 2_000_000;
const endless = 'A'.repeat(lineLength);

describe.skipIf(withoutBrowser)(`hostile outputs${browserNote}`, { timeout: 60_000 }, () => {
  let folder: string;
  let canary: Server;
  let hits: string[];
  let text: string;
  let server: TestServer;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  let runId: string;
  let waitingId: string;

  beforeAll(async () => {
    hits = [];
    canary = createServer((request, response) => {
      hits.push(String(request.url));
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => canary.once('listening', resolve));
    text = attacks(`http://127.0.0.1:${(canary.address() as AddressInfo).port}/pixel`);
    folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'));
    const store = inMemoryLessons();
    await store.restore([hostileLesson(text)]);
    const suite = defineSuite({
      ...{ name: 'hostile', description: text, grade: exact() },
      tasks: [{ id: 'one', input: text, expected: 'nothing' }],
      solvers: { plain: { model: scriptedModel([JSON.stringify({ answer: text, claims: [] })]), solver: direct() } },
    });
    await evaluate(suite, { folder: join(folder, 'evals') });
    server = await startServer({
      file: join(folder, 'runs.db'),
      page: { folder: await pageFolder(() => undefined) },
      ...{ lessons: store, evaluations: evaluationShelf({ folder: join(folder, 'evals') }) },
      agentOptions: hostileAgent(text),
    });
    const start = async (task: string): Promise<string> =>
      String((await call(`${server.url}/v1/runs?wait=true`, { body: { task } })).body['id']);
    [runId, waitingId] = [await start(`read ${text}`), await start(`save ${text}`)];
    browser = await launchBrowser();
    tab = await openTab(browser);
    page = tab.page;
    await page.goto(`${server.url}/`);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    canary?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Goes there; when it is shown, nothing has run or been loaded, and the page still answers. */
  async function look(address: string, shows: string): Promise<string> {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator(shows).first().waitFor();
    return calm();
  }

  async function calm(): Promise<string> {
    const shown = String(await page.locator('main').textContent());
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(hits).toEqual([]);
    expect(tab.problems).toEqual([]);
    expect(await page.locator('main :is(script, iframe, img, style, base, meta, link, object, embed)').count()).toBe(0);
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('main a')].map(({ href }) => href)`);
    expect(links.filter((link) => !/^(https?|mailto):/.test(link))).toEqual([]);
    expect(await page.evaluate<string>('document.body.innerHTML')).not.toMatch(/[\u200b\u202e\u2066\u001b\u0007]/);
    const began = Date.now();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    expect(Date.now() - began).toBeLessThan(1_000);
    return shown;
  }

  test('of a task, a tool and a model are words in the list and in the timeline', async () => {
    expect(await look('/runs', 'table.runs a')).toContain('<script>window.ran');
    await look(`/runs/${runId}`, '.timeline li');
    await allTold(page);
    for (const label of ['readPage', '<img src=x']) {
      const line = page.locator('.line-head', { hasText: label }).first();
      await line.click();
      await page.locator('.line-details').last().waitFor();
      expect(await calm()).toContain('U+202E');
      await line.click();
    }
  });

  test('of an answer are Markdown without pictures, and links that say where they lead', async () => {
    const shown = await look(`/runs/${runId}/evidence`, '.markdown');
    expect(shown).toContain('<script>window.ran');
    expect(shown).toContain('/pixel');
    await page.locator('.claim').first().click();
    expect(await calm()).toContain('AAAA');
  });

  test('of prompts, steps and calls that wait are words', async () => {
    await look(`/runs/${runId}/calls?call=1`, '.message.fresh');
    await look(`/runs/${runId}/steps`, '.steps tbody tr');
    await look(`/runs/${waitingId}`, '.approval');
    expect(await look('/approvals', '.approval')).toContain('<script>window.ran');
    await page.locator('.approval summary').first().click();
    await calm();
    await look(`/compare?a=${runId}&b=${waitingId}`, '.compared tbody tr');
  });

  test('of lessons and evaluations are words', async () => {
    expect(await look('/lessons', '.lesson')).toContain('<script>window.ran');
    const [made] = (await call(`${server.url}/v1/evaluations`)).body['evaluations'] as unknown as { id: string }[];
    expect(await look(`/evaluations/hostile/${made?.id}`, '.report')).toContain('<script>window.ran');
    await page.getByRole('region', { name: 'Failed runs' }).getByRole('link').first().click();
    await page.locator('.timeline li').first().waitFor();
    await calm();
  });
});

function hostileLesson(text: string): Lesson {
  const now = Date.now();
  return {
    ...{ id: 'lesson-1', source: 'run-1', scope: text.slice(0, 80), status: 'active', why: text },
    ...{ trigger: text, failurePattern: text, lesson: text, avoid: text, applies: { taskKind: '<b>kind</b>' } },
    ...{ created: now, checked: now, expires: now + 86_400_000, uses: 0, wins: 0, losses: 0 },
    ...{ evidence: [], conflicts: ['<i>other</i>'] },
  };
}

/** Reads a page that holds all of it and a line without an end, names a tool that is none, and says all of it again; or wants to save it. */
function hostileAgent(text: string) {
  const model = scriptedModel(({ prompt }) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length;
    const saves = JSON.stringify(prompt.filter(({ role }) => role === 'user')[0]).includes('save <script>');
    if (saves) return { ...callTool('savePage', { [`<b>${turn}</b>`]: text, text }), text };
    if (turn === 0) return { ...callTool('readPage', { address: text }), text, reasoning: text };
    if (turn === 1) return callTool('<img src=x onerror=window.ran=1>', { text });
    return callFinal(text, [{ text: `${text}${endless}`, evidence: [{ observation: 'obs-1', quote: 'owned</h1>' }] }]);
  });
  const readPage = tool({
    ...{ name: 'readPage', description: text, effect: 'read', input: z.object({ address: z.string() }) },
    run: async () => `${text}\n${endless}`,
  });
  const savePage = tool({
    ...{ name: 'savePage', description: text, effect: 'write', input: z.looseObject({ text: z.string() }) },
    run: async () => text,
  });
  return { model, tools: [readPage, savePage] };
}
