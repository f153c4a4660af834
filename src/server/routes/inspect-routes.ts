import type { Observation } from '../../core/attempt.ts';
import { callRow, callView } from '../inspect/call-rows.ts';
import { CallsView, CallView, ObservationsQuery, ObservationsView, StepsView } from '../inspect/inspect-schemas.ts';
import type { InspectedRun } from '../inspect/inspected-run.ts';
import type { Inspector } from '../inspect/inspector.ts';
import type { SeenObservation } from '../inspect/seen-observations.ts';
import { stepRows } from '../inspect/step-rows.ts';
import { notFound } from '../problem.ts';
import { type Asked, json, type Route, route } from '../route.ts';
import type { OwnedRun, RunFinder } from '../run-finder.ts';
import { NoQuery } from '../schemas.ts';

export interface InspectRoutesContext {
  finder: RunFinder;
  inspector: Inspector;
}

/** UTF-16 units of one content in one response, and of all contents in it. */
const pieceLength = 2 * 2 ** 20;
const responseLength = 16 * 2 ** 20;

/** The journal of a run, its observations and its prompts. */
export function inspectRoutes({ finder, inspector }: InspectRoutesContext): Route[] {
  const find = ({ principal, params }: Asked): Promise<OwnedRun> => finder.get(principal, params['id'] ?? '');
  return [
    route({
      method: 'get',
      path: '/v1/runs/:id/steps',
      operation: 'getSteps',
      summary: 'The journal of a run, entry by entry; a fork goes on behind one of them',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The steps', schema: StepsView } },
      handle: async (asked) => {
        const owned = await find(asked);
        const seen = await inspector.inspect(owned);
        const steps = stepRows(seen?.entries ?? [], await inspector.observations(owned));
        return json({ steps, ...(seen?.isCut && { truncated: true }) });
      },
    }),
    route<ObservationsQuery>({
      method: 'get',
      path: '/v1/runs/:id/observations',
      operation: 'getObservations',
      summary: 'What tools returned, of all attempts, samples and branches of a run, in the order of its events',
      scope: 'read',
      query: ObservationsQuery,
      responses: { 200: { description: 'The observations', schema: ObservationsView } },
      handle: async (asked) => {
        const { id, path, from } = asked.query;
        const all = await inspector.observations(await find(asked));
        const wanted = all.filter(
          ({ observation }) =>
            (id === undefined || observation.id === id) && (path === undefined || observation.path === path),
        );
        return json({ observations: pieces(wanted, from) });
      },
    }),
    ...callRoutes(async (asked) => inspector.inspect(await find(asked))),
  ];
}

function callRoutes(look: (asked: Asked) => Promise<InspectedRun | undefined>): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/runs/:id/calls',
      operation: 'getCalls',
      summary: 'The model calls of a run whose prompts can be rebuilt from its journal, which their fingerprints prove',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The calls', schema: CallsView } },
      handle: async (asked) => {
        const seen = await look(asked);
        if (!seen) return json({ calls: [], complete: false, why: 'the journal of this run is no longer kept' });
        const { calls, complete, why } = seen.rebuilt;
        return json({ calls: calls.map(callRow), complete, ...(why !== undefined && { why }) });
      },
    }),
    route({
      method: 'get',
      path: '/v1/runs/:id/calls/:index',
      operation: 'getCall',
      summary: 'One model call: its prompt message by message, the tools it was told of, the reply',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The call', schema: CallView } },
      handle: async (asked) => {
        const seen = await look(asked);
        const index = asked.params['index'] ?? '';
        const call = /^\d{1,9}$/.test(index) ? seen?.rebuilt.calls[Number(index)] : undefined;
        if (!seen || !call) throw notFound('call');
        return json(callView(seen.rebuilt, call));
      },
    }),
  ];
}

/** What fits into a response. */
function pieces(observations: readonly SeenObservation[], from: number): object[] {
  let left = responseLength;
  return observations.map(({ observation, beginning }) => {
    const { content, ...rest } = observation;
    const end = endOfPiece(content, from, Math.min(pieceLength, left));
    const piece = content.slice(from, end);
    left -= piece.length;
    const isCut = end < content.length;
    return {
      ...shown(rest),
      content: piece,
      ...((isCut || from > 0) && { chars: content.length }),
      ...((isCut || beginning) && { truncated: true }),
      ...(isCut && { next: end }),
    };
  });
}

function shown({ id, path, tool, args, status, trust }: Omit<Observation, 'content'>): object {
  return { id, path, tool, args, status, trust };
}

/** A character of two units is not cut in half. */
function endOfPiece(content: string, from: number, length: number): number {
  const end = Math.min(content.length, from + length);
  const isHalf = end < content.length && end > from + 1 && /[\ud800-\udbff]/.test(content[end - 1] ?? '');
  return isHalf ? end - 1 : end;
}
