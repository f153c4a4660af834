import { pricesAsOf } from '../../model/prices.ts';
import { keyOf, vendors } from '../../model/providers/vendors.ts';
import { expectedModel } from '../choose-model.ts';
import { cleanText } from '../clean.ts';
import { type Command, printJson } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import type { Row } from '../row.ts';
import { renderRow } from '../timeline.ts';
import { pad } from '../width.ts';

/** `assay models`: the model that would be used and why, what was looked for, and the vendors that are known. Never shows a key. */
export const command: Command = async (context) => {
  const { env } = process;
  const detected = await expectedModel();
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
  if (context.json) {
    printJson(context, { found: detected.found ?? null, looked: detected.looked, vendors: known, pricesAsOf });
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
    ...detected.looked
      .filter(({ what }) => !keys.has(what))
      .map(
        ({ what, outcome }, index): Row => ({
          label: index === 0 ? 'looked' : '',
          text: `${what}: ${outcome}`,
          tone: 'dim',
        }),
      ),
    ...known.map(
      ({ id, variable, set }, index): Row => ({
        label: index === 0 ? 'vendors' : '',
        text: `${pad(id, 29)} ${variable} ${set ? 'is set' : 'not set'}`,
        ...(set && { tone: 'green' as const }),
      }),
    ),
    { label: 'also', text: 'ollama:MODEL, openai-compatible:URL#MODEL, exec:COMMAND, script:FILE, replay:FILE' },
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
};
