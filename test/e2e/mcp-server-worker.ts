/** The agent as an MCP server on stdio. Started by `mcp-server.test.ts`. */
import { serveMcpStdio } from '../../src/server/mcp/stdio.ts';
import { mcpTestAgent } from './mcp-server-agent.ts';

const agent = mcpTestAgent(process.argv[2] ?? '', { prints: true });
await serveMcpStdio({ agent });
await agent.close();
process.stderr.write('hung up\n');
