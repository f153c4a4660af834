import { describe, expect, it } from 'vitest';
import { english } from '../i18n/english.ts';
import { eventOf } from '../testing/event-of.ts';
import { wantedBy } from './timeline-filter.ts';
import { linesOf, timelineOf } from './timeline-model.ts';
import { type TimelineFilter, timelineFilterOf } from './timeline-search.ts';

const tree = timelineOf([
  eventOf('', { type: 'turn.start', turn: 1 }),
  eventOf('', { type: 'tool.call', tool: 'searchDocs', args: { query: 'Lamp' }, observation: 'obs-1' }),
  eventOf('', {
    type: 'tool.result',
    tool: 'searchDocs',
    observation: 'obs-1',
    status: 'ok',
    preview: 'found',
    chars: 5,
    ms: 1,
  }),
  eventOf('', { type: 'tool.call', tool: 'fetchPage', args: {}, observation: 'obs-2' }),
  eventOf('', {
    type: 'tool.result',
    tool: 'fetchPage',
    observation: 'obs-2',
    status: 'timeout',
    preview: '',
    chars: 0,
    ms: 1,
  }),
  eventOf('', { type: 'verify.report', report: { by: 'checks', verdict: 'revise', issues: [] } }),
]);

const shown = (filter: TimelineFilter): string[] =>
  linesOf(tree, new Set(), wantedBy(filter, english)).map(({ node }) => ('event' in node ? node.event.type : ''));

describe('the filter of a timeline', () => {
  it('lets everything through when it names nothing', () => {
    expect(shown({})).toHaveLength(4);
  });

  it('shows what was done, what was judged, or what went wrong', () => {
    expect(shown({ show: 'work' })).toEqual(['turn.start', 'tool.call', 'tool.call']);
    expect(shown({ show: 'judgement' })).toEqual(['verify.report']);
    expect(shown({ show: 'trouble' })).toEqual(['tool.call', 'verify.report']);
  });

  it('finds words in what a line says, results of a call included', () => {
    expect(shown({ find: 'lamp' })).toEqual(['tool.call']);
    expect(shown({ find: 'FOUND' })).toEqual(['tool.call']);
    expect(shown({ find: 'lamp', show: 'trouble' })).toEqual([]);
  });

  it('is read from an address that may say anything', () => {
    expect(timelineFilterOf({ show: 'trouble', find: 'x', other: 1 })).toEqual({ show: 'trouble', find: 'x' });
    expect(timelineFilterOf({ show: 'nonsense', find: 7 })).toEqual({});
    expect(timelineFilterOf({ show: '', find: '' })).toEqual({});
  });
});
