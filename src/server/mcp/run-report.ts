import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { safeAnswer } from '../../checks/safe-answer.ts';
import type { Result, Status } from '../../core/result.ts';
import { canonicalArguments, type WaitingCall } from '../approvals.ts';
import { type CitedClaim, citedClaims } from '../chat/cited-claims.ts';
import { waitingText } from '../chat/waiting-text.ts';

/** The structured content of every tool. A type alias, which unlike an interface is a record for the SDK. */
export type RunReport = {
  run_id: string;
  status: Status | 'running';
  reason: string;
  answer?: string | undefined;
  self_checked?: boolean | undefined;
  claims?: CitedClaim[] | undefined;
  waiting: { call: string; tool: string; arguments: string; why: string }[];
  usage?: { model_calls: number; tool_calls: number; tokens: number; usd: number } | undefined;
};

const statuses = [
  'completed',
  'revised',
  'needs_more_evidence',
  'awaiting_approval',
  'stopped',
  'failed',
  'cancelled',
  'running',
] as const satisfies readonly RunReport['status'][];

export const RunReport: z.ZodType<RunReport> = z.object({
  run_id: z.string(),
  status: z.enum(statuses),
  reason: z.string().describe('Why it has this status.'),
  answer: z.string().optional(),
  self_checked: z.boolean().optional().describe('Only the model that answered has judged the answer.'),
  claims: z
    .array(
      z.object({
        text: z.string(),
        supported: z.boolean().describe('Every quote stands in the result it names.'),
        evidence: z.array(z.object({ observation: z.string(), tool: z.string(), quote: z.string() })),
      }),
    )
    .optional(),
  waiting: z
    .array(
      z.object({
        call: z.string().describe('Names the call for approve.'),
        tool: z.string(),
        arguments: z.string().describe('The arguments as they will run, as JSON.'),
        why: z.string().describe('Why a human is asked.'),
      }),
    )
    .describe('The calls a human has to decide on.'),
  usage: z.object({ model_calls: z.number(), tool_calls: z.number(), tokens: z.number(), usd: z.number() }).optional(),
});

export function waitingReports(waiting: readonly WaitingCall[]): RunReport['waiting'] {
  return waiting.map(({ call, request }) => ({
    call,
    tool: request?.tool ?? '',
    arguments: canonicalArguments(request?.args ?? null),
    why: request?.why ?? '',
  }));
}

/** A Result for a client: as data, and as text for models that read only that. */
export function resultReport(result: Result, waiting: readonly WaitingCall[], isJson: boolean): CallToolResult {
  const { answer, status, usage, attempt } = result;
  const shown = answer === undefined || isJson ? answer : safeAnswer({ ...attempt, answer });
  const report: RunReport = {
    run_id: result.runId,
    status,
    reason: result.reason.detail,
    ...(shown !== undefined && { answer: shown }),
    self_checked: result.selfChecked,
    claims: citedClaims(result),
    waiting: waitingReports(waiting),
    usage: { model_calls: usage.modelCalls, tool_calls: usage.toolCalls, tokens: usage.tokens, usd: usage.usd },
  };
  const isError = answer === undefined && status !== 'awaiting_approval';
  return { ...contentOf(report, waiting), ...(isError && { isError }) };
}

/** The report as structured content, and as text. */
export function contentOf(report: RunReport, waiting: readonly WaitingCall[]): CallToolResult {
  const steps =
    waiting.length === 0
      ? []
      : [
          waitingText(waiting),
          `Show these calls to the user. Decide with approve(run_id, call, decision) or with \`assay approve ${report.run_id}\`; then call resume(run_id).`,
        ];
  const said = [report.answer, `${report.status}: ${report.reason}`, ...steps, `run_id: ${report.run_id}`];
  const text = said.filter((part) => part !== undefined).join('\n\n');
  return { content: [{ type: 'text', text }], structuredContent: report };
}
