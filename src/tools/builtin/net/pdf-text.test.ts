import { describe, expect, it } from 'vitest';
import { pdfText } from './pdf-text.ts';
import { readablePage, shownPage } from './readable-page.ts';

/** A PDF with one line of text a page, written by hand. */
function pdf(lines: string[], trailer = ''): Uint8Array {
  const kids = lines.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, index) => {
      const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj 0 -20 Td (end) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    '<< /Title (Fares  2026) >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

describe('pdfText', () => {
  it('gives the title and the lines of each page', async () => {
    expect(await pdfText(pdf(['Adults pay 12', 'Children pay 5']), { maxPages: 10 })).toEqual({
      title: 'Fares 2026',
      text: '[page 1]\nAdults pay 12\nend\n\n[page 2]\nChildren pay 5\nend',
      pages: 2,
      pagesRead: 2,
    });
  });

  it('reads no more pages than it may', async () => {
    const { text, pages, pagesRead } = await pdfText(pdf(['one', 'two', 'three']), { maxPages: 1 });
    expect([text, pages, pagesRead]).toEqual(['[page 1]\none\nend', 3, 1]);
  });

  it('is what the worker makes of a PDF', async () => {
    const page = {
      url: new URL('https://ferry.example/fares.pdf'),
      type: 'application/pdf',
      charset: undefined,
      body: pdf(['Adults pay 12', 'Children pay 5']),
      truncated: false,
      freshForMs: 0,
    };
    const limits = { extractionMs: 15_000, maxPdfPages: 1, signal: new AbortController().signal };
    expect(shownPage(await readablePage(page, limits))).toBe(
      'URL: https://ferry.example/fares.pdf\nTitle: Fares 2026\nPDF: 2 pages; only the first 1 of them\n\n[page 1]\nAdults pay 12\nend',
    );
  });

  it('says what to install when the package is missing, and what is wrong with a file', async () => {
    const missing = async (): Promise<never> => {
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    };
    await expect(pdfText(pdf(['x']), { maxPages: 1 }, missing)).rejects.toThrow('npm install unpdf');
    await expect(pdfText(Buffer.from('%PDF-1.4 nothing'), { maxPages: 1 })).rejects.toThrow(/PDF/);
    const locked = pdf(['x'], '/Encrypt << /Filter /Standard /V 1 /R 2 /O (a) /U (b) /P -4 >> /ID [(a) (b)]');
    await expect(pdfText(locked, { maxPages: 1 })).rejects.toThrow('protected by a password');
  });
});
