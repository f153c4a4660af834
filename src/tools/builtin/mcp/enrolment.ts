/**
 * What becomes of a server's list of tools: trusted on first use, known, changed and so blocked, or left out. Only the user's
 * word makes a tool less dangerous than the program assumes; a server's hints can only make it more so.
 */
import { messageOf } from '../../../core/errors.ts';
import type { JsonSchema } from '../../../core/json.ts';
import { jsonSchemaInput } from '../../json-schema-input.ts';
import type { Effect } from '../../tool.ts';
import { cleanSchema } from './clean-schema.ts';
import {
  differenceLines,
  differences,
  fingerprintOf,
  type ReadDefinition,
  readDefinition,
  type ToolDefinition,
} from './definition.ts';
import type { PinnedTool } from './pins.ts';
import { suspicions } from './suspicion.ts';
import { matchesName, modelNames } from './tool-names.ts';

/** What the user says about the tools of a server; names are the server's own, `*` stands for any text. */
export interface ToolRules {
  effects?: Readonly<Record<string, Effect>>;
  idempotent?: readonly string[];
  include?: readonly string[];
  exclude?: readonly string[];
}

/** One tool of a report. */
export interface EnrolledTool {
  /** As the server names it. */
  tool: string;
  /** As the model calls it; missing when the model cannot. */
  name?: string;
  /** `new`: trusted now, on first use. `known`: as it was accepted. `changed`: blocked until accepted. `left-out`: not usable. */
  status: 'new' | 'known' | 'changed' | 'left-out';
  effect: Effect;
  definition?: ToolDefinition;
  fingerprint?: string;
  /** What a person should know: signs of an attack, claims that were not believed, why it is left out. */
  notes: string[];
  /** For `changed`: the lines that differ from what was accepted. */
  difference: string[];
}

/** What was found at a server, for a person. Render it with `enrolmentText`. */
export interface McpEnrolment {
  server: string;
  tools: EnrolledTool[];
  /** Accepted before and no longer offered. */
  gone: string[];
}

/** A tool the model can be given. */
export interface UsableTool {
  name: string;
  definition: ToolDefinition;
  fingerprint: string;
  inputSchema: JsonSchema;
  effect: Effect;
  idempotent: boolean;
}

export interface Enrolled {
  report: McpEnrolment;
  usable: UsableTool[];
}

/** Decides about every entry of a list. Pure; nothing is pinned here. */
export function enrol(
  server: string,
  entries: readonly unknown[],
  pins: readonly PinnedTool[],
  rules: ToolRules,
): Enrolled {
  const { definitions, refused } = readList(entries);
  const names = modelNames(
    server,
    definitions.map(({ name }) => name),
  );
  const ownTools = new Set(definitions.map(({ name }) => name));
  const usable: UsableTool[] = [];
  const tools = definitions.flatMap((definition) => {
    if (!isWanted(definition.name, rules)) return [];
    const found = enrolOne(definition, { name: names.get(definition.name), pins, rules, ownTools });
    if (found.usable) usable.push(found.usable);
    return [found.report];
  });
  const gone = pins.map(({ name }) => name).filter((name) => !ownTools.has(name) && isWanted(name, rules));
  const wantedRefusals = refused.filter(({ tool }) => isWanted(tool, rules));
  return { report: { server, tools: [...tools, ...wantedRefusals], gone }, usable };
}

function readList(entries: readonly unknown[]): { definitions: ToolDefinition[]; refused: EnrolledTool[] } {
  const read = entries.map(readDefinition);
  const refused = read.flatMap((entry) => (entry.ok ? [] : [leftOut(entry.name, entry.reason)]));
  const definitions = new Map<string, ToolDefinition>();
  const ambiguous = new Set<string>();
  for (const entry of read.filter((one): one is Extract<ReadDefinition, { ok: true }> => one.ok)) {
    const { definition } = entry;
    const earlier = definitions.get(definition.name);
    if (earlier && fingerprintOf(earlier) !== fingerprintOf(definition)) ambiguous.add(definition.name);
    definitions.set(definition.name, definition);
  }
  for (const name of ambiguous) {
    definitions.delete(name);
    refused.push(leftOut(name, 'the server lists it more than once with different descriptions'));
  }
  return { definitions: [...definitions.values()], refused };
}

function leftOut(tool: string, reason: string): EnrolledTool {
  return { tool, status: 'left-out', effect: 'irreversible', notes: [reason], difference: [] };
}

interface Surroundings {
  name: string | undefined;
  pins: readonly PinnedTool[];
  rules: ToolRules;
  ownTools: ReadonlySet<string>;
}

function enrolOne(
  definition: ToolDefinition,
  { name, pins, rules, ownTools }: Surroundings,
): { report: EnrolledTool; usable?: UsableTool } {
  const { effect, note } = effectOf(definition, rules);
  const fingerprint = fingerprintOf(definition);
  const base = { tool: definition.name, effect, definition, fingerprint };
  const notes = [...note, ...suspicions(definition, ownTools)];
  const pin = pins.find((known) => known.name === definition.name);
  try {
    if (name === undefined) throw new Error('its name for the model would be that of another tool');
    const cleaned = cleanSchema(definition.inputSchema);
    // Throws for a schema that arguments cannot be judged by.
    jsonSchemaInput(cleaned.schema);
    const known = { ...base, name, notes: [...notes, ...cleaned.notes] };
    if (pin && pin.fingerprint !== fingerprint) {
      const difference = differenceLines(differences(pin.definition, definition));
      return { report: { ...known, status: 'changed', difference } };
    }
    const idempotent = (rules.idempotent ?? []).some((pattern) => matchesName(pattern, definition.name));
    return {
      report: { ...known, status: pin ? 'known' : 'new', difference: [] },
      usable: { name, definition, fingerprint, inputSchema: cleaned.schema, effect, idempotent },
    };
  } catch (error) {
    return { report: { ...base, status: 'left-out', notes: [messageOf(error), ...notes], difference: [] } };
  }
}

function isWanted(tool: string, { include, exclude = [] }: ToolRules): boolean {
  const named = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesName(pattern, tool));
  return (include === undefined || named(include)) && !named(exclude);
}

const severity: readonly Effect[] = ['read', 'write', 'irreversible'];

/** The user's word: the exact name, else the gravest of the patterns that fit. Without it, at least `write`. */
function effectOf({ name, annotations }: ToolDefinition, rules: ToolRules): { effect: Effect; note: string[] } {
  const { readOnlyHint, destructiveHint } = annotations;
  const said = saidEffect(name, rules.effects ?? {});
  if (said) {
    const worse = destructiveHint === true && said !== 'irreversible';
    return { effect: said, note: worse ? [`the server says it is destructive; your word makes it '${said}'`] : [] };
  }
  if (destructiveHint === true) return { effect: 'irreversible', note: [] };
  const claim = "the server says it only reads; that is a claim, so it stays 'write' until you list it in `effects`";
  return { effect: 'write', note: readOnlyHint === true ? [claim] : [] };
}

function saidEffect(name: string, effects: Readonly<Record<string, Effect>>): Effect | undefined {
  if (Object.hasOwn(effects, name)) return effects[name];
  const fitting = Object.entries(effects).flatMap(([pattern, effect]) => (matchesName(pattern, name) ? [effect] : []));
  return severity.findLast((effect) => fitting.includes(effect));
}
