import { sizeText } from '../../model/local/bytes.ts';
import { installedModels, localModels } from '../../model/local/models-table.ts';
import { findLlamaRuntime } from '../../model/local/runtime.ts';
import { pricesAsOf } from '../../model/prices.ts';
import { modelServers } from '../../model/providers/servers.ts';
import { keyOf, vendors } from '../../model/providers/vendors.ts';
import { expectedModel } from '../choose-model.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { type CommandContext, printJson } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import type { Row } from '../row.ts';
import { renderRow } from '../timeline.ts';
import { pad } from '../width.ts';
import { lookAtModel } from './look-at-model.ts';

/** What model would be used and why, what was looked for, and what else there is. Never shows a key. */
export async function listModels(context: CommandContext): Promise<ExitCode> {
  const { env } = process;
  const detected = await expectedModel();
  const mode = detected.found && modeText(await lookAtModel(detected.found.id));
  const known = vendors.map((vendor) => {
    const key = keyOf(vendor, env);
    return {
      id: `${vendor.prefix}:${vendor.defaultModel}`,
      label: vendor.label,
      variable: key?.variable ?? vendor.keyVariables[0],
      set: key !== undefined,
      keyPage: vendor.keyPage,
    };
  });
  const local = localRows(env);
  const runtime = findLlamaRuntime({ env }) ?? null;
  if (context.json) {
    const { found, looked } = detected;
    printJson(context, {
      found: found ?? null,
      mode: mode ?? null,
      looked,
      local,
      runtime,
      vendors: known,
      pricesAsOf,
    });
    return exitCodes.completed;
  }
  const { screen } = context;
  const paper = { columns: screen.outColumns ?? 80, style: screen.outStyle };
  // The vendors' keys have a list of their own.
  const keys = new Set(vendors.map(({ keyVariables }) => keyVariables.join(' or ')));
  const rows: Row[] = [
    detected.found
      ? { label: 'model', text: `${detected.found.id} (${detected.found.reason})`, tone: 'green' }
      : { label: 'model', text: 'none found', tone: 'yellow' },
    ...(mode ? [{ label: 'mode', text: cleanLine(mode) }] : []),
    ...listed(
      'looked',
      detected.looked.filter(({ what }) => !keys.has(what)).map(({ what, outcome }) => `${what}: ${outcome}`),
      'dim',
    ),
    ...local.map(
      ({ text, installed }, index): Row => ({
        label: index === 0 ? 'local' : '',
        text,
        ...(installed && { tone: 'green' as const }),
      }),
    ),
    { label: '', text: 'asked in small-model mode; fetched by: assay models pull NAME', tone: 'dim' },
    ...known.map(
      ({ id, variable, set }, index): Row => ({
        label: index === 0 ? 'vendors' : '',
        text: `${pad(id, 39)} ${variable}${set ? ' is set' : ''}`,
        ...(set && { tone: 'green' as const }),
      }),
    ),
    {
      label: 'servers',
      text: `${modelServers.map(({ prefix }) => `${prefix}:MODEL`).join(', ')}, openai-compatible:URL#MODEL`,
    },
    { label: 'also', text: 'local:FILE.gguf, exec:COMMAND, script:FILE, replay:FILE' },
    {
      label: 'prices',
      text: `list prices as of ${pricesAsOf}; a model that is not listed counts as unpriced, never as free`,
      tone: 'dim',
    },
  ];
  for (const row of rows) screen.out(renderRow(row, paper));
  screen.out('');
  if (!detected.found) screen.out(cleanText(detected.message.slice(detected.message.indexOf('Pick one:'))));
  screen.out(`Use one: ${commandName()} run TASK --model ID`);
  return exitCodes.completed;
}

function listed(label: string, texts: readonly string[], tone: NonNullable<Row['tone']>): Row[] {
  return texts.map((text, index) => ({ label: index === 0 ? label : '', text, tone }));
}

function localRows(env: NodeJS.ProcessEnv): { name: string; installed: boolean; file?: string; text: string }[] {
  const pulled = new Map(installedModels(env).map(({ row, file, bytes }) => [row.name, { file, bytes }]));
  return localModels.map((row) => {
    const have = pulled.get(row.name);
    const size = `${sizeText(have?.bytes ?? row.size)}, ${sizeText(row.ramBytes)} of memory, ${row.licence}`;
    const text = `${pad(`local:${row.name}`, 17)} ${size}; ${have ? 'pulled' : 'not pulled'}`;
    return { name: row.name, installed: have !== undefined, ...(have && { file: have.file }), text };
  });
}

function modeText({ mode, problem }: Awaited<ReturnType<typeof lookAtModel>>): string | undefined {
  return problem === undefined ? mode : `cannot be used: ${problem}`;
}
