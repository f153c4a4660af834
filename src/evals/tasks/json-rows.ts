import { messageOf, UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { listedRows, rowAt, type SourceRow } from './source-row.ts';

/** The rows of a text with one JSON object a line. Throws `UsageError` with the line. */
export function jsonLines(text: string, file: string): SourceRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `${file}, line ${index + 1}`;
    return [rowAt(where, parsedLine(line, where))];
  });
}

function parsedLine(line: string, where: string): Json {
  try {
    // JSON.parse gives nothing but JSON values.
    return JSON.parse(line) as Json;
  } catch (error) {
    const fault = messageOf(error).replace(/ in JSON at position \d+ \(line 1 column (\d+)\)/, ' at column $1');
    throw new UsageError(`${where} is no JSON: ${fault}. Write one JSON object a line.`);
  }
}

/** The rows of a JSON document. A file named .json may hold one object a line too, as published data sets do. */
export function jsonRows(text: string, file: string, list: string | undefined): SourceRow[] {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    if (/^\s*\{.*\}[ \t]*\r?\n\s*\{/.test(text)) return jsonLines(text, file);
    throw new UsageError(`${file} is no JSON: ${messageOf(error)}. Correct it there.`);
  }
  return listedRows(document, file, list).map((row, index) => rowAt(`${file}, row ${index + 1}`, row));
}
