import { UsageError } from '../../../core/errors.ts';

/** The parts of the MCP SDK that are used. The package is the user's own choice, so it is loaded when a server is. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await importSdk();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(
        `mcp() needs the package @modelcontextprotocol/sdk, which is not installed: npm install @modelcontextprotocol/sdk@1 (${error.message})`,
      );
    }
    throw error;
  }
}

async function importSdk(): Promise<Sdk> {
  const [client, stdio, http, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { ...client, ...stdio, ...http, ...types };
}

export type Sdk = Pick<typeof import('@modelcontextprotocol/sdk/client/index.js'), 'Client'> &
  Pick<typeof import('@modelcontextprotocol/sdk/client/stdio.js'), 'getDefaultEnvironment'> &
  Pick<
    typeof import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    'StreamableHTTPClientTransport' | 'StreamableHTTPError'
  > &
  Pick<
    typeof import('@modelcontextprotocol/sdk/types.js'),
    'ErrorCode' | 'JSONRPCMessageSchema' | 'McpError' | 'ResultSchema'
  >;
