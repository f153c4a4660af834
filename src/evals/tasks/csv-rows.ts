import { UsageError } from '../../core/errors.ts';
import type { SourceRow } from './source-row.ts';

interface CsvRecord {
  line: number;
  fields: string[];
}

/**
 * The rows of a CSV text (RFC 4180); the first record has the names, an empty field counts as absent. Data are read strictly, other
 * than tables in the answer of a model: what is not as the format says throws `UsageError` with the line, since a row that is read
 * as another falsifies an evaluation. Without `separator` it is the comma, or the semicolon where the head has no comma.
 */
export function csvRows(text: string, file: string, separator: string = separatorOf(text)): SourceRow[] {
  const records = csvRecords(text, file, separator).filter(({ fields }) => fields.length > 1 || fields[0] !== '');
  const [head, ...rest] = records;
  const names = head?.fields.map((name) => name.trim()) ?? [];
  const twice = names.find((name, column) => names.indexOf(name) < column);
  if (twice !== undefined) throw new UsageError(`${file} has two columns named '${twice}'. Rename or remove one.`);
  return rest.map(({ line, fields }) => {
    const where = `${file}, line ${line}`;
    if (fields.length === names.length) return { where, value: Object.fromEntries(namedCells(names, fields)) };
    throw new UsageError(
      `${where} has ${fields.length} fields and the head ${names.length}. Put a field that holds the separator in quotation marks.`,
    );
  });
}

function namedCells(names: readonly string[], fields: readonly string[]): [string, string][] {
  return names.flatMap((name, column): [string, string][] => {
    const cell = fields[column] ?? '';
    return cell === '' ? [] : [[name, cell]];
  });
}

function separatorOf(text: string): string {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  return !head.includes(',') && head.includes(';') ? ';' : ',';
}

function csvRecords(text: string, file: string, separator: string): CsvRecord[] {
  const field = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*)?)(${separator}|\\r\\n?|\\n|$)`,
    'y',
  );
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  while (field.lastIndex < text.length || record.fields.length > 0) {
    const found = field.exec(text);
    if (found === null)
      throw new UsageError(
        `${file}, line ${line}: a field in quotation marks does not end with one. Close it, and double the marks inside it.`,
      );
    const [, quoted, plain = '', end] = found;
    record.fields.push(quoted?.replaceAll('""', '"') ?? plain);
    line += quoted?.match(/\r\n?|\n/g)?.length ?? 0;
    if (end === separator) continue;
    records.push(record);
    line += 1;
    record = { line, fields: [] };
  }
  return records;
}
