import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventOf } from '../testing/event-of.ts';
import { EventLog } from './event-log.ts';

const ids = (log: EventLog): string[] => log.events.map(({ id }) => id);

describe('the events of a run, as a stream brings them', () => {
  it('stand there once when a stream begins again before its end', () => {
    const events = [1, 2, 3].map((turn) => eventOf('', { type: 'turn.start', turn }));
    const log = new EventLog();
    log.add(events.slice(0, 2));
    log.add(events);
    expect(ids(log)).toEqual(events.map(({ id }) => id));
  });

  it('are the same list when nothing new came', () => {
    const event = eventOf('', { type: 'turn.start', turn: 1 });
    const log = new EventLog();
    log.add([event]);
    const { events } = log;
    log.add([event]);
    expect(log.events).toBe(events);
  });

  it('keep what a model says after a restart of the server, whose numbers begin anew', () => {
    const log = new EventLog();
    const delta = { ...eventOf('', { type: 'model.delta', text: 'a' }), id: ':model.delta#1' };
    log.add([delta]);
    log.add([{ ...delta }]);
    expect(log.events).toHaveLength(2);
  });

  it('let go of what a model said when its reply is there, and of nothing else', () => {
    const log = new EventLog();
    log.add([
      eventOf('a', { type: 'model.start', step: 'turn', role: 'actor' }),
      eventOf('a', { type: 'model.delta', text: 'x' }),
      eventOf('b', { type: 'model.delta', text: 'y' }),
    ]);
    log.add([
      eventOf('a', { type: 'model.call', step: 'turn', role: 'actor' }),
      eventOf('a', { type: 'model.delta', text: 'next' }),
    ]);
    expect(log.events.map(({ path, type }) => `${path} ${type}`)).toEqual([
      'a model.start',
      'b model.delta',
      'a model.call',
      'a model.delta',
    ]);
  });

  it('come out the same however they are cut into messages', () => {
    const type = fc.constantFrom('turn.start', 'tool.call', 'model.delta', 'model.call');
    const made = fc.array(fc.tuple(fc.constantFrom('', 'a'), type), { maxLength: 30 });
    fc.assert(
      fc.property(made, fc.nat(30), (all, cut) => {
        const events = all.map(([path, kind]) => eventOf(path, { type: kind }));
        const [whole, parts] = [new EventLog(), new EventLog()];
        whole.add(events);
        parts.add(events.slice(0, cut));
        parts.add(events.slice(cut));
        expect(ids(parts)).toEqual(ids(whole));
      }),
    );
  });
});
