import { openWorkshop } from '../build-agent.ts';
import { chooseModel } from '../choose-model.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { version } from '../package-root.ts';
import { limitsFrom, settingsFrom } from '../run-options.ts';

/** `assay mcp`: the agent as an MCP server on standard input and output, for one client until it hangs up. */
export const command: Command = async (context) => {
  const { serveMcpStdio } = await import('../../server/mcp/stdio.ts');
  const given = settingsFrom(context);
  const chosen = given.config !== undefined && given.model === undefined;
  const settings = chosen ? given : { ...given, model: await chooseModel(given.model, context.screen) };
  const workshop = await openWorkshop(settings, { home: context.home, budget: limitsFrom(context) });
  try {
    await serveMcpStdio({ agent: workshop.agent, version: version() });
    return exitCodes.completed;
  } finally {
    await workshop.close();
  }
};
