import type { AgentOptions } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { EnrolmentMessage } from '../../tools/builtin/mcp.ts';
import { acceptPins, enrolments, enrolmentText } from '../../tools/builtin/mcp.ts';
import { checkedPolicy } from '../../tools/policy/checked-policy.ts';
import { jsonSchemaOf, type Tool } from '../../tools/tool.ts';
import { toolsFor } from '../build-agent.ts';
import { cleanLine, escapeHidden } from '../clean.ts';
import { type Command, type CommandContext, printJson, textOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { findConfig, loadConfig } from '../load-config.ts';
import { plural } from '../numbers.ts';
import type { Row } from '../row.ts';
import { renderRow } from '../timeline.ts';

/** What this folder's agent can do, and what its MCP servers were found to offer. */
interface Inventory {
  tools: readonly Tool[];
  policy: ReturnType<typeof checkedPolicy>;
  servers: ReadonlyMap<string, EnrolmentMessage>;
}

/** `assay tools …`: the tools of a run with their effects, and the changes of MCP servers that wait to be accepted. */
export const command: Command = async (context) => {
  const [action = 'list', target, tool] = context.args;
  const inventory = await takeInventory(context);
  try {
    if (action === 'accept') await accept(inventory, { server: target, tool }, context);
    else if (action === 'show') show(inventory, target, context);
    else list(inventory, context);
    return exitCodes.completed;
  } finally {
    await Promise.allSettled(inventory.tools.map((one) => one.close?.()));
  }
};

async function takeInventory(context: CommandContext): Promise<Inventory> {
  const servers = new Map<string, EnrolmentMessage>();
  const heed = (message: unknown): void => {
    // Nothing else is published on this channel.
    const found = message as EnrolmentMessage;
    servers.set(found.report.server, found);
  };
  enrolments.subscribe(heed);
  const file = findConfig(textOption(context, 'config'));
  const configured: AgentOptions | undefined = file === undefined ? undefined : await loadConfig(file);
  const tools = (await toolsFor({ docs: textOption(context, 'docs') }, configured)).flat();
  enrolments.unsubscribe(heed);
  return { tools, policy: checkedPolicy(configured?.policy), servers };
}

function list(inventory: Inventory, context: CommandContext): void {
  const blocked = [...inventory.servers.values()].flatMap(({ report }) =>
    report.tools.filter(({ status }) => status === 'changed').map(({ tool }) => ({ server: report.server, tool })),
  );
  const { tools, policy } = inventory;
  if (context.json) {
    const { rules, planLock } = policy;
    const shown = tools.map(({ name, effect, trust, description }) => ({
      ...{ name, effect, trust, description },
      policy: policy[effect],
    }));
    printJson(context, { tools: shown, rules, planLock, blocked });
  } else {
    for (const row of listRows(inventory, blocked)) print(row, context);
    const next = blocked[0] ? `See what changed: ${commandName()} tools show ${blocked[0].server}` : undefined;
    context.screen.out(`\n${next ?? `What the model is told of one: ${commandName()} tools show TOOL`}`);
  }
}

const words = { allow: 'runs', ask: 'asks', deny: 'denied' } as const;

function listRows({ tools, policy }: Inventory, blocked: readonly { server: string; tool: string }[]): Row[] {
  const rules = `${plural(policy.rules.length, 'rule')} of the config file may say otherwise for a call`;
  return [
    ...tools.map(
      ({ name, effect, description }): Row => ({
        label: words[policy[effect]],
        text: `${name}, ${effect}: ${firstSentence(description)}`,
        tone: toneOf(effect),
      }),
    ),
    ...blocked.map(
      ({ server, tool }): Row => ({
        label: 'blocked',
        text: `${server}: ${cleanLine(tool)} changed since it was accepted`,
        tone: 'red',
      }),
    ),
    ...(policy.rules.length > 0 ? [{ label: 'rules', text: rules, tone: 'dim' } satisfies Row] : []),
  ];
}

function show({ tools, servers }: Inventory, target: string | undefined, context: CommandContext): void {
  const server = servers.get(target ?? '');
  const found = tools.find(({ name }) => name === target);
  if (server) showServer(server.report, context);
  else if (found) showTool(found, context);
  else throw new UsageError(unknown(target, [...tools.map(({ name }) => name), ...servers.keys()]));
}

function showServer(report: EnrolmentMessage['report'], context: CommandContext): void {
  if (context.json) printJson(context, report);
  else {
    context.screen.out(enrolmentText(report));
    if (report.tools.some(({ status }) => status === 'changed'))
      context.screen.out(`\nTo accept the change: ${commandName()} tools accept ${report.server}`);
  }
}

function showTool({ name, effect, description, trust, timeoutMs, input }: Tool, context: CommandContext): void {
  const schema = jsonSchemaOf(input);
  if (context.json) printJson(context, { name, effect, trust, timeoutMs, description, input: schema });
  else {
    print({ label: 'tool', text: `${name}, ${effect}`, tone: toneOf(effect) }, context);
    print({ label: 'told', text: escapeHidden(description) }, context);
    print({ label: 'takes', text: escapeHidden(JSON.stringify(schema)) }, context);
    print({ label: 'result', text: `${trust}; at most ${timeoutMs} ms`, tone: 'dim' }, context);
  }
}

async function accept(
  { servers }: Inventory,
  { server, tool }: { server: string | undefined; tool: string | undefined },
  context: CommandContext,
): Promise<void> {
  const found = servers.get(server ?? '');
  if (!found) throw new UsageError(unknown(server, [...servers.keys()]));
  const changed = found.report.tools.filter(({ status }) => status === 'changed').map((one) => one.tool);
  const accepted = tool === undefined ? changed : [tool];
  await acceptPins(found.pins, found.report, accepted);
  const what = accepted.length === 0 ? 'Nothing of it has changed.' : `Accepted: ${accepted.map(cleanLine).join(', ')}`;
  if (context.json) printJson(context, { server, accepted });
  else context.screen.out(what);
}

function unknown(target: string | undefined, names: readonly string[]): string {
  const said = target === undefined ? 'Nothing is named' : `Nothing here is named '${cleanLine(target)}'`;
  return `${said}. Choose from: ${names.join(', ') || 'there is nothing'}.`;
}

function firstSentence(description: string): string {
  const line = cleanLine(description);
  return /^.{1,160}?[.;](?=\s|$)/.exec(line)?.[0] ?? line.slice(0, 160);
}

function toneOf(effect: Tool['effect']): NonNullable<Row['tone']> {
  return effect === 'read' ? 'green' : effect === 'write' ? 'yellow' : 'red';
}

function print(row: Row, { screen }: CommandContext): void {
  screen.out(renderRow(row, { columns: screen.outColumns ?? 80, style: screen.outStyle }));
}
