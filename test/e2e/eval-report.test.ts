/**
 * The HTML report in a real browser. It needs Chromium: `CHROMIUM` names the program, else the usual names are looked for.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { htmlReport } from '../../src/evals/report/html-report.ts';
import { nastyTexts, reportFixture } from '../../src/evals/report/report-fixture.ts';
import { shownText } from '../../src/evals/report/shown-text.ts';

const named = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => named.map((name) => join(folder, name)));
const browser = [process.env['CHROMIUM'] ?? '', ...places].find((file) => existsSync(file));

it.skipIf(browser)('is skipped: no Chromium was found; name one in CHROMIUM to see the report in a browser', () => {
  expect(browser).toBeUndefined();
});

describe.skipIf(!browser)('the HTML report in a browser', () => {
  let folder = '';
  let file = '';
  let page = '';
  const asked: string[] = [];
  /** Whoever the page asks for anything. */
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response.end();
  });

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    // `listen` on a port gives an address of this form.
    const { port } = server.address() as AddressInfo;
    folder = mkdtempSync(join(tmpdir(), 'assay-report-'));
    file = join(folder, 'report.html');
    const report = reportFixture({ tasks: 40 });
    const attack = `"><img src="http://127.0.0.1:${port}/img"><script src="http://127.0.0.1:${port}/script"></script><style>@import "http://127.0.0.1:${port}/style";</style>`;
    report.evaluation.records.forEach((record, index) => {
      record.grade.why = [attack, ...nastyTexts][index % (nastyTexts.length + 1)] ?? '';
    });
    const timelines = new Map(report.evaluation.records.map(({ runId }) => [runId, [{ label: 'tool', text: attack }]]));
    page = await htmlReport(report, { timelines });
    writeFileSync(file, page);
  });

  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the browser makes of a page, and what it complains of. */
  async function opened(path: string): Promise<{ dom: string; complaints: string[] }> {
    const { stdout, stderr } = await promisify(execFile)(
      browser ?? '',
      [
        ...[
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--disable-component-update',
        ],
        ...[
          '--disable-dev-shm-usage',
          '--no-first-run',
          '--enable-logging=stderr',
          `--user-data-dir=${join(folder, 'profile')}`,
        ],
        ...['--virtual-time-budget=1000', '--dump-dom', `file://${path}`],
      ],
      { maxBuffer: 64_000_000, timeout: 60_000 },
    );
    return { dom: stdout, complaints: stderr.split('\n').filter((line) => line.includes(':CONSOLE')) };
  }

  it('keeps texts texts, loads nothing, and has its style allowed by its own policy', { timeout: 90_000 }, async () => {
    const { dom, complaints } = await opened(file);
    expect(complaints).toEqual([]);
    expect(asked).toEqual([]);
    expect(dom).toContain('<title>price-desk: evaluation</title>');
    expect(dom).not.toMatch(/<(script|img|iframe|object)[\s>]/);
    expect(dom.match(/<style/g)).toHaveLength(1);
    expect(dom).toContain('&lt;script&gt;document.title = "broken"&lt;/script&gt;');
    expect(dom).toContain(shownText('abc\u202etxt'));
    expect(dom.match(/<svg [^>]*role="img"/g)).toHaveLength(6);
  });

  it('has a policy that would stop what got in all the same', { timeout: 90_000 }, async () => {
    const { port } = server.address() as AddressInfo;
    const hurt = join(folder, 'hurt.html');
    const injected = `<script>document.title = 'broken'</script><img src="http://127.0.0.1:${port}/got-in"><style>main { display: none }</style>`;
    writeFileSync(hurt, page.replace('<main>', `${injected}<main>`));
    const { dom, complaints } = await opened(hurt);
    expect(dom).toContain('<title>price-desk: evaluation</title>');
    expect(asked).toEqual([]);
    expect(complaints.filter((line) => /Content Security Policy/.test(line)).length).toBeGreaterThanOrEqual(3);
  });
});
