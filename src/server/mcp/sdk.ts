import { UsageError } from '../../core/errors.ts';

/** The parts of the MCP SDK that a server is made from. The package is the user's own choice, so it is loaded when one is. */
export async function loadServerSdk(): Promise<ServerSdk> {
  try {
    const [mcp, stdio, http] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/mcp.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ]);
    return { ...mcp, ...stdio, ...http };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(
        `An MCP server needs the package @modelcontextprotocol/sdk, which is not installed: npm install @modelcontextprotocol/sdk@1 (${error.message})`,
      );
    }
    throw error;
  }
}

export type ServerSdk = Pick<typeof import('@modelcontextprotocol/sdk/server/mcp.js'), 'McpServer'> &
  Pick<typeof import('@modelcontextprotocol/sdk/server/stdio.js'), 'StdioServerTransport'> &
  Pick<
    typeof import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    'WebStandardStreamableHTTPServerTransport'
  >;
