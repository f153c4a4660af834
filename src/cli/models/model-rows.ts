import { aboutSize, sizeText } from '../../model/local/bytes.ts';
import { llamaVersion } from '../../model/local/runtime.ts';
import { modelServers } from '../../model/providers/servers.ts';
import { cleanLine } from '../clean.ts';
import { commandName } from '../hints.ts';
import { count } from '../numbers.ts';
import type { Row } from '../row.ts';
import { pad } from '../width.ts';
import type { LocalFacts, ModelFacts, ServerFacts } from './model-facts.ts';

/** So many models of one server are shown; `--json` has them all. */
const mostShown = 8;

/** The model that would be used, and what was looked at to find it. */
interface ModelUse {
  found: { id: string; reason: string } | null;
  /** How it is asked, or why it cannot be used. */
  mode: string | null;
  looked: readonly { what: string; outcome: string }[];
}

/** The rows of `assay models`. */
export function modelRows({ found, mode, looked }: ModelUse, facts: ModelFacts): Row[] {
  const { local, servers, vendors, pricesAsOf } = facts;
  const prefixes = ['ollama', ...modelServers.map(({ prefix }) => prefix)]
    .map((prefix) => `${prefix}:MODEL`)
    .join(', ');
  const baseUrl = looked.filter(({ what }) => what.startsWith('OPENAI_BASE_URL ('));
  return [
    found
      ? { label: 'model', text: cleanLine(`${found.id} (${found.reason})`), tone: 'green' }
      : { label: 'model', text: 'none found', tone: 'yellow' },
    ...(mode === null ? [] : [{ label: 'mode', text: cleanLine(mode) }]),
    ...labelled('local', [...localTable(local), runtimeRow(facts)]),
    ...labelled('servers', [
      ...baseUrl.map(({ what, outcome }): Row => ({ label: '', text: cleanLine(`${what}: ${outcome}`), tone: 'dim' })),
      ...servers.flatMap(serverRows),
    ]),
    ...labelled(
      'vendors',
      vendors.map(({ id, variable, set }): Row => {
        const text = `${pad(id, 39)} ${variable}${set ? ' is set' : ''}`;
        return { label: '', text, ...(set && { tone: 'green' }) };
      }),
    ),
    {
      label: 'also',
      text: `local:FILE.gguf, ${prefixes}, openai-compatible:URL#MODEL, exec:COMMAND, script:FILE, replay:FILE`,
    },
    {
      label: 'prices',
      text: `list prices as of ${pricesAsOf}; a model that is not listed counts as unpriced, never as free`,
      tone: 'dim',
    },
  ];
}

function labelled(label: string, rows: readonly Row[]): Row[] {
  return rows.map((row, index) => (index === 0 ? { ...row, label } : row));
}

/** `about 2.5 GB` of a file that is to come, `2.5 GB` of one that is here. */
function fileSize({ installed, bytes }: LocalFacts): string {
  return installed ? sizeText(bytes) : aboutSize(bytes);
}

function localTable(local: readonly LocalFacts[]): Row[] {
  const cells = local.map((one) => [
    `local:${one.name}`,
    fileSize(one),
    `${sizeText(one.memoryBytes)}${one.fitsMemory ? '' : ', too much'}`,
    one.licence,
    one.smallModelMode ? 'yes' : 'no',
    one.installed ? 'yes' : 'no',
  ]);
  const head = ['model', 'file', 'memory', 'licence', 'small mode', 'here'];
  const widths = head.map((title, column) =>
    Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(({ length }) => length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    { label: '', text: line(head), tone: 'dim' },
    ...cells.map(
      (row, index): Row => ({ label: '', text: line(row), ...(local[index]?.installed && { tone: 'green' }) }),
    ),
  ];
}

function runtimeRow({ runtime, local }: ModelFacts): Row {
  if (runtime) {
    const where = runtime.place === 'cache' ? `in ${runtime.folder}` : 'beside assay';
    return {
      label: '',
      text: `llama.cpp, which runs them, is ${where}; fetch one: ${commandName()} models pull NAME`,
      tone: 'dim',
    };
  }
  const text = `llama.cpp ${llamaVersion}, which runs them, is not installed: ${commandName()} models pull brings it (45 MB)`;
  return { label: '', text, tone: local.some(({ installed }) => installed) ? 'yellow' : 'dim' };
}

function serverRows({ name, origin, outcome, models }: ServerFacts): Row[] {
  if (models.length === 0) return [{ label: '', text: cleanLine(`${name} at ${origin}: ${outcome}`), tone: 'dim' }];
  const shown = models.slice(0, mostShown).map(({ id, contextTokens, tooShort }): Row => {
    // Ollama says what is loaded; each call of ours says how much it wants.
    const verb = name === 'Ollama' ? 'loaded with ' : '';
    const context = contextTokens === undefined ? '' : `, ${verb}context ${count(contextTokens)} tokens`;
    const text = cleanLine(`${id}${context}${tooShort ? ', too short for a run with tools' : ''}`);
    return { label: '', text, tone: tooShort ? 'yellow' : 'green' };
  });
  const more = models.length - shown.length;
  const rest: Row[] =
    more > 0 ? [{ label: '', text: `and ${more} more of ${name} (--json lists them)`, tone: 'dim' }] : [];
  return [...shown, ...rest];
}
