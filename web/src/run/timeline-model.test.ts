import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOf as event } from '../testing/event-of.ts';
import { type Entry, type Group, groupIds, groupName, isGroup, linesOf, timelineOf } from './timeline-model.ts';

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
    expect(['trial-2', 'samples/0', 'verify.answers'].map(groupName)).toEqual([
      'trial 2',
      'samples 1',
      'verify · answers',
    ]);
  });

  it('shows of a group only what is wanted, and no group without it', () => {
    const tree = timelineOf([
      event('a/0', { type: 'turn.start', turn: 1 }),
      event('b', { type: 'tool.call', tool: 'x', observation: 'obs-1' }),
    ]);
    const lines = linesOf(tree, new Set(), (entry) => entry.event.type === 'tool.call');
    expect(lines.map(({ node }) => (isGroup(node) ? node.path : node.event.type))).toEqual(['b', 'tool.call']);
  });

  it('knows when a group began and ended, with what is below it, and how a trial came out', () => {
    const tree = timelineOf([
      event('a', { type: 'trial.start', trial: 1, at: 5 }),
      event('a/0', { type: 'turn.start', turn: 1, at: 7 }),
      event('a', { type: 'trial.end', trial: 1, pass: false, at: 9 }),
      event('', { type: 'run.end', at: 20 }),
    ]);
    expect(tree).toMatchObject({ from: 5, to: 20 });
    expect(tree.children[0]).toMatchObject({ path: 'a', from: 5, to: 9, outcome: { pass: false } });
  });

  it('does not wait for a model whose process is gone when the run has ended', () => {
    const tree = timelineOf([
      event('a', { type: 'model.start', step: 'turn', role: 'actor' }),
      event('', { type: 'run.end', status: 'failed' }),
    ]);
    expect(linesOf(tree, new Set()).map(({ node }) => (isGroup(node) ? '' : node.event.type))).toEqual(['run.end']);
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
