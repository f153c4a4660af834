import { openWorkshop } from '../build-agent.ts';
import type { Command } from '../command.ts';
import { workersExecute } from '../engine.ts';
import { exitCodes } from '../exit-codes.ts';
import { version } from '../package-root.ts';
import { notOfClients, refuseWorkersOptions } from '../remote-agent.ts';
import { clientSettings, limitsFrom } from '../run-options.ts';
import { isolateLocalModels } from '../serve/isolate-models.ts';

/** `assay mcp`: the agent as an MCP server on standard input and output, for one client until it hangs up. */
export const command: Command = async (context) => {
  const { serveMcpStdio } = await import('../../server/mcp/stdio.ts');
  refuseWorkersOptions(context, notOfClients);
  isolateLocalModels();
  const workshop = await openWorkshop(await clientSettings(context), {
    home: context.home,
    budget: limitsFrom(context),
    elsewhere: workersExecute(context),
  });
  try {
    await serveMcpStdio({ agent: workshop.agent, version: version() });
    return exitCodes.completed;
  } finally {
    await workshop.close();
  }
};
