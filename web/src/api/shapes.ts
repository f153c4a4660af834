/** What the server answers, in the shapes of its OpenAPI document. */
import type { Issue } from '../../../src/core/attempt.ts';
import type { Limits } from '../../../src/core/budget.ts';
import type { RunEvent } from '../../../src/core/event.ts';
import type { Lesson } from '../../../src/core/lesson.ts';
import type { Result } from '../../../src/core/result.ts';
import type { Task } from '../../../src/core/task.ts';
import type { Usage } from '../../../src/core/usage.ts';

export type { Issue, Lesson, Limits, Result, RunEvent, Task, Usage };

export type RunStatus = Result['status'] | 'running' | 'interrupted' | 'parked';
export type Verdict = 'pass' | 'revise' | 'fail' | 'unchecked';

export interface AgentInfo {
  name: string;
  solver: string;
  layers: string[];
  models: { role: string; id: string; source: string }[];
}

export interface Me {
  tenant: string;
  scopes: string[];
  guarded: boolean;
  version?: string;
  agents: AgentInfo[];
  lessons: boolean;
  evaluations: boolean;
  samples: { title: string; task: string; agent?: string }[];
}

export interface RunSummary {
  id: string;
  agent: string;
  status: RunStatus;
  created: string;
  updated: string;
  forkedFrom?: string;
  task: string;
  tokens: number;
  usd: number;
  activeMs?: number;
  verdict?: Verdict;
  configuration?: string;
}

export interface RunPage {
  runs: RunSummary[];
  next?: string;
}

export interface RunView {
  id: string;
  agent: string;
  status: RunStatus;
  created: string;
  updated: string;
  forkedFrom?: string;
  configuration?: string;
  edited?: { seq: number; observation: string }[];
  task: Pick<Task, 'input'> & Partial<Task>;
  budget: Limits;
  pending: number;
  reason?: { code: string; detail: string };
  answer?: string;
  result?: Result;
}

export interface ObservationView {
  id: string;
  path: string;
  tool: string;
  args: unknown;
  status: string;
  trust: 'trusted' | 'untrusted';
  content: string;
  truncated?: boolean;
}

export interface StepView {
  seq: number;
  path: string;
  name: string;
  kind: 'model' | 'tool' | 'approval' | 'other';
  at: number;
  observation?: string;
  failed?: boolean;
}

export interface CallRow {
  index: number;
  path: string;
  step: string;
  role: string;
  model: string;
  fingerprint: string;
  messages: number;
  shared: number;
  outcome: string;
  usage: Usage;
  ms?: number;
}

export interface CallList {
  calls: CallRow[];
  complete: boolean;
  why?: string;
}

/** A message of the provider specification, as far as it is shown. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | PromptPart[];
}

export interface PromptPart {
  type: string;
  text?: string;
  toolName?: string;
  toolCallId?: string;
  input?: unknown;
  output?: unknown;
}

export interface CallView extends CallRow {
  prompt: PromptMessage[];
  tools: { name: string; description?: string; inputSchema: unknown }[];
  reply: PromptPart[];
}

export interface ClaimView {
  text: string;
  state: 'supported' | 'recomputed' | 'unsupported';
  evidence: { observation: string; path?: string; quote: string; spans: { from: number; to: number }[] }[];
  issues: Issue[];
}

export interface EvidenceView {
  claims: ClaimView[];
  issues: Issue[];
}

export interface ApprovalView {
  run: string;
  call: string;
  callId: string;
  tool?: string;
  args?: unknown;
  canonicalArgs?: string;
  why?: string;
  effect?: string;
  agent?: string;
  task?: string;
  requested?: string;
  sources?: { at: string; text: string; source: string; observation?: string }[];
}
