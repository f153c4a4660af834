import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../api/shapes.ts';
import { type Entry, type Group, groupIds, groupName, isGroup, linesOf, timelineOf } from './timeline-model.ts';

let number = 0;
function event(path: string, body: { type: string; [field: string]: unknown }): RunEvent {
  // A test makes only what the timeline reads of an event.
  return {
    id: `${path}:${body.type}#${++number}`,
    run: 'r',
    path,
    at: number,
    live: true,
    ...body,
  } as unknown as RunEvent;
}

const entries = (group: Group): Entry[] => group.children.filter((node) => !isGroup(node)) as Entry[];

describe('the timeline of a run', () => {
  it('makes one entry of a call and its result, whatever stands between', () => {
    const tree = timelineOf([
      event('', { type: 'tool.call', tool: 'a', observation: 'obs-1' }),
      event('', { type: 'tool.call', tool: 'b', observation: 'obs-2' }),
      event('', { type: 'tool.result', tool: 'b', observation: 'obs-2', status: 'ok' }),
      event('', { type: 'tool.result', tool: 'a', observation: 'obs-1', status: 'error' }),
    ]);
    expect(entries(tree).map(({ end }) => end && 'status' in end && end.status)).toEqual(['error', 'ok']);
  });

  it('shows what a model says until its reply is there', () => {
    const start = event('', { type: 'model.start', step: 'turn', role: 'actor' });
    const speaking = [
      start,
      event('', { type: 'model.delta', text: 'Hel' }),
      event('', { type: 'model.delta', text: 'lo' }),
    ];
    expect(entries(timelineOf(speaking))).toMatchObject([{ spoken: 'Hello' }]);
    const said = [...speaking, event('', { type: 'model.call', step: 'turn', role: 'actor', outcome: 'reply' })];
    expect(entries(timelineOf(said))).toMatchObject([{ event: { type: 'model.start' }, end: { type: 'model.call' } }]);
  });

  it('does not take the result of another path', () => {
    const tree = timelineOf([
      event('trial-1', { type: 'tool.call', tool: 'a', observation: 'obs-1' }),
      event('trial-2', { type: 'tool.result', tool: 'a', observation: 'obs-1', status: 'ok' }),
    ]);
    expect(tree.children.filter(isGroup).map((group) => entries(group)[0]?.end)).toEqual([undefined, undefined]);
  });

  it('nests trials, samples and branches, where each began', () => {
    const tree = timelineOf([
      event('', { type: 'run.start' }),
      event('trial-1/samples/1', { type: 'turn.start', turn: 1 }),
      event('trial-1/samples/0', { type: 'turn.start', turn: 1 }),
      event('trial-1/samples/1', { type: 'turn.start', turn: 2 }),
      event('', { type: 'run.end' }),
    ]);
    const shown = linesOf(tree, new Set()).map(
      ({ node, depth }) => `${depth} ${isGroup(node) ? node.path : node.event.type}`,
    );
    expect(shown).toEqual([
      '0 run.start',
      '0 trial-1',
      '1 trial-1/samples',
      '2 trial-1/samples/1',
      '3 turn.start',
      '3 turn.start',
      '2 trial-1/samples/0',
      '3 turn.start',
      '0 run.end',
    ]);
    expect(linesOf(tree, new Set(['group:trial-1'])).map(({ depth }) => depth)).toEqual([0, 0, 0]);
    expect(['trial-2', 'samples/0', 'verify.answers'].map(groupName)).toEqual(['trial 2', '1', 'verify · answers']);
  });

  it('loses no event, however the paths and types are mixed', () => {
    const path = fc.constantFrom('', 'a', 'a/0', 'a/1', 'b');
    const type = fc.constantFrom('tool.call', 'tool.result', 'model.start', 'model.call', 'turn.start');
    const made = fc.array(fc.tuple(path, type, fc.constantFrom('1', '2')), { maxLength: 40 });
    fc.assert(
      fc.property(made, (all) => {
        const events = all.map(([at, kind, n]) => event(at, { type: kind, observation: n, step: n }));
        const tree = timelineOf(events);
        const seen = linesOf(tree, new Set()).flatMap(({ node }) =>
          isGroup(node) ? [] : [node.event.id, ...(node.end ? [node.end.id] : [])],
        );
        expect(seen.sort()).toEqual(events.map(({ id }) => id).sort());
        expect(linesOf(tree, new Set(groupIds(tree))).every(({ depth }) => depth === 0)).toBe(true);
      }),
    );
  });
});
