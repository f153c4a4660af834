import type { Decision } from '../../core/turn.ts';
import type { EventStore } from '../../trace/events.ts';
import { canonicalArguments, type WaitingCall, waitingCalls } from '../approvals.ts';
import { notFound, Problem } from '../problem.ts';
import { type Asked, json, type Route, route } from '../route.ts';
import type { OwnedRun, RunFinder } from '../run-finder.ts';
import { isRunInput } from '../run-record.ts';
import type { RunStarter } from '../run-starter.ts';
import { headOf } from '../run-view.ts';
import { ApprovalPage, ApproveBody, DecidedView, type DecisionBody, DenyBody, NoQuery } from '../schemas.ts';

export interface ApprovalRoutesContext {
  finder: RunFinder;
  starter: RunStarter;
  events: Pick<EventStore, 'read'>;
}

/** As many waiting runs are looked at for one list. */
const mostRuns = 200;

/** The calls that wait for a human, and the human's word on them. */
export function approvalRoutes(context: ApprovalRoutesContext): Route[] {
  const { finder } = context;
  const list = { 200: { description: 'The waiting calls', schema: ApprovalPage } };
  return [
    route({
      method: 'get',
      path: '/v1/approvals',
      operation: 'listApprovals',
      summary: 'The calls of all runs that wait for a decision; a run tells of its own a moment earlier',
      scope: 'read',
      query: NoQuery,
      responses: list,
      handle: async ({ principal }) => {
        const waiting = await finder.suspended(principal, mostRuns);
        const calls = await Promise.all(waiting.map((owned) => callsOf(context, owned)));
        return json({
          approvals: waiting.flatMap((owned, index) => (calls[index] ?? []).map((call) => shown(owned, call))),
        });
      },
    }),
    route({
      method: 'get',
      path: '/v1/runs/:id/approvals',
      operation: 'listRunApprovals',
      summary: 'The calls of a run that wait for a decision',
      scope: 'read',
      query: NoQuery,
      responses: list,
      handle: async ({ principal, params }) => {
        const owned = await finder.get(principal, params['id'] ?? '');
        return json({ approvals: (await callsOf(context, owned)).map((call) => shown(owned, call)) });
      },
    }),
    decision(context, { word: 'approve', body: ApproveBody, summary: 'Lets a call run, perhaps with other arguments' }),
    decision(context, { word: 'deny', body: DenyBody, summary: 'Refuses a call, for the whole run' }),
  ];
}

function decision(
  context: ApprovalRoutesContext,
  { word, body, summary }: { word: 'approve' | 'deny'; body: typeof ApproveBody; summary: string },
): Route {
  const approved = word === 'approve';
  return route<unknown, DecisionBody>({
    method: 'post',
    path: `/v1/runs/:id/approvals/:call/${word}`,
    operation: `${word}Call`,
    summary,
    scope: 'approve',
    query: NoQuery,
    body,
    responses: { 200: { description: 'It was recorded, and the run goes on', schema: DecidedView } },
    handle: (asked) => decide(context, asked, approved),
  });
}

async function decide(
  context: ApprovalRoutesContext,
  { principal, params, body }: Asked<unknown, DecisionBody>,
  approved: boolean,
): Promise<Response> {
  const owned = await context.finder.get(principal, params['id'] ?? '');
  const call = named(await callsOf(context, owned), params['call'] ?? '');
  const reason = body.reason ?? (approved ? undefined : 'the user said no');
  const word: Decision = {
    approved,
    ...(reason !== undefined && { reason }),
    ...(body.args !== undefined && { args: body.args }),
  };
  if ((await context.starter.record(owned, call.signal, word)) !== 'delivered') throw decidedBefore();
  return json({ run: owned.run.id, call: call.call, approved });
}

function decidedBefore(): Problem {
  return new Problem({
    status: 409,
    code: 'decided',
    title: 'A decision was recorded before',
    detail: 'A decision on this call is in the journal already, and the first one holds.',
    remedy: "See the run's event approval.decided for which it was.",
  });
}

async function callsOf({ events }: ApprovalRoutesContext, { run }: OwnedRun): Promise<WaitingCall[]> {
  return waitingCalls(run, await events.read(run.id));
}

/** By its name in addresses, or by the model's id of it when only one has that. */
function named(calls: readonly WaitingCall[], name: string): WaitingCall {
  const exact = calls.find(({ call }) => call === name);
  if (exact) return exact;
  const [only, ...others] = calls.filter(({ callId }) => callId === name);
  if (only && others.length === 0) return only;
  throw notFound('waiting call');
}

function shown({ run, name: agent }: OwnedRun, { call, callId, request }: WaitingCall): { [key: string]: unknown } {
  const told = request && {
    tool: request.tool,
    args: request.args,
    canonicalArgs: canonicalArguments(request.args),
    why: request.why,
    effect: request.effect,
    sources: request.sources ?? [],
    requested: new Date(request.at).toISOString(),
  };
  const task = isRunInput(run.input) ? headOf(run.input.task.input) : '';
  return { run: run.id, agent, task, call, callId, ...told };
}
