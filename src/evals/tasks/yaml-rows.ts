import * as z from 'zod';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { listedRows, rowAt, type SourceRow } from './source-row.ts';

/** The rows of a YAML document, which needs the package `yaml`. Throws `UsageError` with the line. */
export async function yamlRows(text: string, file: string, list: string | undefined): Promise<SourceRow[]> {
  const { LineCounter, isMap, isNode, isSeq, parseDocument } = await yaml(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault) throw new UsageError(`${file} is no YAML: ${messageOf(fault).trimEnd()}`);
  // What is no JSON, such as `.nan`, is refused row by row.
  const rows = listedRows(document.toJS() as Json, file, list);
  const { contents } = document;
  const pairs = isMap(contents) ? contents.items : [];
  const sequences = [contents, ...pairs.map(({ value }) => value)].filter((node) => isSeq(node));
  const sequence = sequences.find(({ items }) => items.length === rows.length);
  return rows.map((row, index) => {
    const node = sequence?.items[index];
    const offset = isNode(node) ? node.range?.[0] : undefined;
    const place = offset === undefined ? `row ${index + 1}` : `line ${lines.linePos(offset).line}`;
    if (!z.json().safeParse(row).success)
      throw new UsageError(`${file}, ${place} holds a value that is no JSON, such as .nan. Write it as text.`);
    return rowAt(`${file}, ${place}`, row);
  });
}

async function yaml(file: string): Promise<typeof import('yaml')> {
  return import('yaml').catch(() => {
    throw new UsageError(`${file} is YAML, which needs the package yaml: run npm install yaml, or write it as JSON.`);
  });
}
