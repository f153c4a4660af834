import * as z from 'zod';
import type { Decision } from '../core/turn.ts';

/** What a person decided in a chat window about a call of a run. */
export interface ApprovalResponse {
  runId: string;
  /** What `agent.decide` sends the decision to. */
  signal: string;
  decision: Decision;
}

const AnsweredMessage = z.object({
  role: z.literal('assistant'),
  metadata: z.object({ runId: z.string() }),
  parts: z.array(z.unknown()),
});
const AnsweredPart = z.object({
  state: z.literal('approval-responded'),
  approval: z.object({ id: z.string(), approved: z.boolean(), reason: z.string().optional() }),
});

/**
 * The decisions in the last message of a chat, as `addToolApprovalResponse` of `useChat` puts them there. Empty when the last message
 * is a new question. They come from the browser: check that its user may decide on this run before you pass them on.
 */
export function approvalResponses(messages: readonly unknown[]): ApprovalResponse[] {
  const message = AnsweredMessage.safeParse(messages.at(-1));
  if (!message.success) return [];
  const { metadata, parts } = message.data;
  return parts.flatMap((part) => {
    const answered = AnsweredPart.safeParse(part);
    if (!answered.success) return [];
    const { id, approved, reason } = answered.data.approval;
    return [{ runId: metadata.runId, signal: id, decision: { approved, ...(reason !== undefined && { reason }) } }];
  });
}
