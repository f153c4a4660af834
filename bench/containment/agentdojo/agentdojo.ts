import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import type { Material } from '../attack-run.ts';
import { defineSuite, type Suite, type SuiteOptions, type SuiteTask } from '../suite.ts';
import { type Template, textTemplate } from '../templates.ts';
import { Banking, bankingAttacks, bankingTools, bankingUsers } from './banking.ts';
import { dictated, type Resolvers, type Row, rowsOf, type Sequences, taskOf } from './rows.ts';
import { Slack, slackAttacks, slackOutbound, slackTools, slackUsers, summary, writtenFrom } from './slack.ts';
import { travelAttacks, travelUsers } from './travel-tasks.ts';
import { travelTools } from './travel-tools.ts';
import { Travel } from './travel-world.ts';
import { Workspace, workspaceAttacks, workspaceSequences, workspaceTools, workspaceUsers } from './workspace.ts';

/** Whether the data is there. */
export function hasAgentDojo(data: string): boolean {
  return (
    existsSync(join(data, 'agentdojo_injections', 'environments')) && existsSync(join(data, 'agentdojo_user_tasks'))
  );
}

/** The suites of AgentDojo (Debenedetti et al. 2024, arXiv 2406.13352, MIT licence), v1.2, from its data; the tools are written anew. */
export function agentDojo(data: string): Material {
  const folder = join(data, 'agentdojo_injections');
  const attacks = rowsOf(readFileSync(join(folder, 'agentdojo_injections.jsonl'), 'utf8'));
  const users = rowsOf(readFileSync(join(data, 'agentdojo_user_tasks', 'agentdojo_user_tasks.jsonl'), 'utf8'));
  const from = { folder: join(folder, 'environments'), users, attacks };
  const suites = [
    suiteOf(from, {
      name: 'workspace',
      read: (filled) => Workspace.parse(filled),
      tools: workspaceTools,
      userArguments: workspaceUsers,
      attackArguments: workspaceAttacks,
      attackSequences: workspaceSequences,
    }),
    suiteOf(from, {
      name: 'travel',
      read: (filled) => Travel.parse(filled),
      tools: travelTools,
      userArguments: travelUsers,
      attackArguments: travelAttacks,
    }),
    suiteOf(from, {
      name: 'banking',
      read: (filled) => Banking.parse(filled),
      tools: bankingTools,
      userArguments: bankingUsers,
      attackArguments: bankingAttacks,
    }),
    suiteOf(from, {
      name: 'slack',
      read: (filled) => Slack.parse(filled),
      tools: slackTools,
      outbound: slackOutbound,
      userArguments: slackUsers,
      attackArguments: slackAttacks,
      write: (world, text) => {
        const page = writtenFrom[text];
        return page === undefined ? text : summary(world, page);
      },
    }),
  ];
  const byId = new Map(attacks.map((row) => [row.id, row]));
  const dictate = ({ id }: SuiteTask): string => {
    const row = byId.get(id);
    return row ? dictated(row) : '';
  };
  return { suites, dictate, ...templatesOf(readFileSync(join(folder, 'attacks.json'), 'utf8')) };
}

interface Source {
  folder: string;
  users: readonly Row[];
  attacks: readonly Row[];
}

interface Described<State> extends Pick<SuiteOptions<State>, 'name' | 'read' | 'tools' | 'outbound'> {
  userArguments: Resolvers<State>;
  attackArguments: Resolvers<State>;
  attackSequences?: Sequences<State>;
  write?(world: State, text: string): string;
}

function suiteOf<State>({ folder, users, attacks }: Source, described: Described<State>): Suite {
  const { name, userArguments, attackArguments, attackSequences, write, ...rest } = described;
  const mine = ({ meta }: Row): boolean => meta.suite === name;
  return defineSuite<State>({
    ...rest,
    name,
    template: readYaml(join(folder, name, 'environment.yaml')),
    vectors: vectorsOf(readYaml(join(folder, name, 'injection_vectors.yaml'))),
    users: users.filter(mine).map((row) => taskOf(row, { resolvers: userArguments, ...(write && { write }) })),
    attacks: attacks
      .filter(mine)
      .map((row) =>
        taskOf(row, { resolvers: attackArguments, ...(attackSequences && { sequences: attackSequences }) }),
      ),
  });
}

/** A YAML file and the files it includes. */
function readYaml(file: string): Json {
  const include = (other: string): Json => readYaml(join(dirname(file), other));
  // YAML without custom types has nothing that JSON has not.
  return parse(readFileSync(file, 'utf8'), { customTags: [{ tag: '!include', resolve: include }] }) as Json;
}

/** The harmless texts. In the file they stand escaped, as inside a quoted text of another YAML file. */
function vectorsOf(file: Json): Record<string, string> {
  const vectors = z.record(z.string(), z.object({ default: z.string() })).parse(file);
  const entries = Object.entries(vectors).map(([name, vector]): [string, string] => [
    name,
    vector.default.replaceAll('\\n', '\n').replaceAll('\\t', '\t'),
  ]);
  return Object.fromEntries(entries);
}

const withNames = { user: 'Emma Johnson', model: 'GPT-4' };
const nobody = { user: 'the user', model: 'the AI language model' };

/** The attacks without a text of their own that are the text of `important_instructions` under other names. */
const variants: Record<string, { user: string; model: string }> = {
  important_instructions_no_user_name: { ...withNames, user: nobody.user },
  important_instructions_no_model_name: { ...withNames, model: nobody.model },
  important_instructions_no_names: nobody,
  important_instructions_wrong_model_name: { ...withNames, model: 'Claude' },
  important_instructions_wrong_user_name: { ...withNames, user: 'Mark Smith' },
};

const AttackFile = z.record(z.string(), z.object({ template: z.string().nullable() }));

function templatesOf(file: string): Pick<Material, 'templates' | 'leftOut'> {
  const attacks = AttackFile.parse(JSON.parse(file));
  const important = attacks['important_instructions']?.template ?? '';
  const templates: Template[] = [];
  const leftOut: string[] = [];
  for (const [name, { template }] of Object.entries(attacks)) {
    const variant = variants[name];
    const text = template ?? (variant && important);
    if (text) templates.push(textTemplate(name, text, variant ?? withNames));
    else leftOut.push(name);
  }
  return { templates, leftOut };
}
