import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Decision } from '../../core/turn.ts';
import type { WaitingCall } from '../approvals.ts';
import { waitingText } from '../chat/waiting-text.ts';
import { decideTitle } from './prompts.ts';

export interface Asking {
  server: McpServer;
  /** The request in whose stream the question is sent. */
  requestId: RequestId;
  signal: AbortSignal;
  /** Milliseconds a human has. */
  timeoutMs: number;
}

/** Whether the client can put a form before its user. */
export function canAsk(server: McpServer): boolean {
  return server.server.getClientCapabilities()?.elicitation?.form !== undefined;
}

/** A human's word on a call, through the client; undefined when they gave none: the window was closed, or the time is over. */
export async function askHuman(call: WaitingCall, asking: Asking): Promise<Decision | undefined> {
  const { server, requestId, signal, timeoutMs } = asking;
  const question = server.server.elicitInput(
    {
      message: `${decideTitle}\n${waitingText([call])}`,
      requestedSchema: {
        type: 'object',
        properties: {
          decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
          reason: { type: 'string', title: 'Reason', description: 'For a denial: what the agent should know.' },
        },
        required: ['decision'],
      },
    },
    { relatedRequestId: requestId, signal, timeout: timeoutMs },
  );
  // A client that fails at it has not asked anybody, and the call waits on.
  const answer = await question.catch(() => undefined);
  if (!answer || answer.action === 'cancel') return undefined;
  const { decision, reason } = answer.content ?? {};
  if (answer.action === 'accept' && decision === 'approve') return { approved: true };
  return { approved: false, reason: typeof reason === 'string' && reason !== '' ? reason : 'the user said no' };
}
