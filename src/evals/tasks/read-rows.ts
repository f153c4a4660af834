import { readdir, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { messageOf, UsageError } from '../../core/errors.ts';
import { fileText } from '../../tools/builtin/files/file-text.ts';
import { csvRows } from './csv-rows.ts';
import { jsonLines, jsonRows } from './json-rows.ts';
import type { SourceRow } from './source-row.ts';
import { yamlRows } from './yaml-rows.ts';

const formats = ['jsonl', 'ndjson', 'json', 'csv', 'tsv', 'yaml', 'yml'] as const;
type Format = (typeof formats)[number];

/**
 * The rows of a .jsonl, .ndjson, .json, .csv, .tsv, .yaml or .yml file, also compressed as .gz, or of the one such file in a folder.
 * JSON and YAML hold a list of objects, or an object with one such list; `list` names it where there are several. Throws
 * `UsageError` with file and line.
 */
export async function readRows(source: string, list?: string): Promise<SourceRow[]> {
  const file = await dataFile(source);
  const format = formatOf(file);
  if (format === undefined)
    throw new UsageError(`${file} is of no format that is read here. Give a file that ends in ${formats.join(', ')}.`);
  const text = await readText(file);
  const rows = await rowsOf[format](text, file, list);
  if (rows.length === 0) throw new UsageError(`${file} holds no rows. Give a file with at least one.`);
  return rows;
}

const rowsOf: Record<Format, (text: string, file: string, list?: string) => SourceRow[] | Promise<SourceRow[]>> = {
  jsonl: jsonLines,
  ndjson: jsonLines,
  json: jsonRows,
  csv: (text, file) => csvRows(text, file),
  tsv: (text, file) => csvRows(text, file, '\t'),
  yaml: yamlRows,
  yml: yamlRows,
};

function formatOf(file: string): Format | undefined {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  return formats.find((format) => format === ending);
}

async function dataFile(source: string): Promise<string> {
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${source} does not exist. Correct the path.`);
  if (!found.isDirectory()) return source;
  const files = (await readdir(source)).filter((name) => formatOf(name) !== undefined).sort();
  const ofTheFolder = files.filter((name) => name.startsWith(`${path.basename(path.resolve(source))}.`));
  const [file, ...others] = ofTheFolder.length === 1 ? ofTheFolder : files;
  if (file === undefined)
    throw new UsageError(`The folder ${source} holds no file that ends in ${formats.join(', ')}. Name the file.`);
  if (others.length > 0)
    throw new UsageError(`The folder ${source} holds several data files (${files.join(', ')}). Name one of them.`);
  return path.join(source, file);
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    const decoded = fileText(file.toLowerCase().endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes);
    if ('text' in decoded) return decoded.text;
    throw new UsageError(decoded.refused);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}.`);
  }
}
