/** The chunks of the AI SDK's UI message stream (version 7) that a run is told in; `UIMessageChunk` of the package `ai` takes them all. */
import type { Report } from '../core/attempt.ts';
import type { Json } from '../core/json.ts';
import type { Reason, Status } from '../core/result.ts';
import type { Plan } from '../core/task.ts';
import type { Usage } from '../core/usage.ts';

/** The metadata of the message: what it is the answer of, and at its end how that came out. */
export interface RunMetadata {
  runId: string;
  status?: Status;
  reason?: Reason;
  usage?: Usage;
  /** Only the model that answered has judged the answer; say so where it is shown. */
  selfChecked?: boolean;
  /** A last answer, forced when a limit was reached. */
  degraded?: boolean;
}

/** The data parts of the message, by the name after `data-`. */
export type RunDataParts = {
  /** The plan as it stands; one part per plan. */
  plan: Plan;
  /** A verdict on a draft or on the answer. */
  check: Report;
  /** A call that a human decides on. `signal` is what `agent.decide` takes. */
  approval: {
    signal: string;
    tool: string;
    args: unknown;
    why: string;
    state: 'waiting' | 'approved' | 'denied';
    reason?: string;
  };
};

/** What a tool returned, as the output of its part. */
export interface ToolOutput {
  observation: string;
  /** The beginning of the text. */
  preview: string;
  /** The characters of the whole text. */
  chars: number;
}

type ProviderMetadata = { assay: { [key: string]: Json } };
type DataChunk = {
  [Name in keyof RunDataParts]: { type: `data-${Name}`; id: string; data: RunDataParts[Name] };
}[keyof RunDataParts];

export type RunChunk =
  | { type: 'start'; messageId?: string; messageMetadata: RunMetadata }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: unknown;
      dynamic: true;
      providerExecuted: true;
    }
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string; reason: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason: string }
  | { type: 'tool-output-available'; toolCallId: string; output: ToolOutput; dynamic: true; providerExecuted: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true; providerExecuted: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'source-url'; sourceId: string; url: string; title: string; providerMetadata: ProviderMetadata }
  | {
      type: 'source-document';
      sourceId: string;
      mediaType: string;
      title: string;
      providerMetadata: ProviderMetadata;
    }
  | DataChunk
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason: string }
  | { type: 'finish'; finishReason: 'stop' | 'length' | 'error' | 'other'; messageMetadata: RunMetadata };
