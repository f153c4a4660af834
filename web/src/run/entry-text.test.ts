import { describe, expect, it } from 'vitest';
import { chinese } from '../i18n/chinese.ts';
import { english } from '../i18n/english.ts';
import { eventOf } from '../testing/event-of.ts';
import { entryText } from './entry-text.ts';
import { linesOf, timelineOf } from './timeline-model.ts';

type Body = Parameters<typeof eventOf>[1];

/** What the first line of these events says. */
function told(...bodies: Body[]): ReturnType<typeof entryText> {
  const [line] = linesOf(timelineOf(bodies.map((body) => eventOf('', body))), new Set());
  if (!line || !('event' in line.node)) throw new Error('there is no line');
  return entryText(line.node, english);
}

const usage = { inputTokens: 1_000, outputTokens: 20, cachedTokens: 250, tokens: 1_020 };
const start = { type: 'model.start', step: 'turn', role: 'actor' };
const call = { type: 'tool.call', tool: 'searchDocs', args: { query: 'lamp', limit: 2 }, observation: 'obs-1' };

describe('a line of the timeline', () => {
  it('says what a call asked and what came of it, and how when it did not go well', () => {
    const result = { type: 'tool.result', tool: 'searchDocs', observation: 'obs-1', chars: 3, ms: 12 };
    expect(told(call, { ...result, status: 'ok', preview: 'found' })).toMatchObject({
      subject: 'searchDocs',
      text: 'query: "lamp", limit: 2 → found',
      state: undefined,
      ms: 12,
    });
    expect(told(call, { ...result, status: 'timeout', preview: '' }).state).toEqual(['bad', 'timeout']);
    expect(told(call).state).toEqual(['active', english.running]);
  });

  it('shows the last words of a model while it speaks, and what it took when it has', () => {
    expect(told(start, { type: 'model.delta', text: `${'x'.repeat(500)} the end` }).text).toMatch(/^…x+ the end$/);
    const reply = {
      type: 'model.call',
      step: 'turn',
      role: 'actor',
      model: 'm',
      provider: 'p',
      ms: 5,
      usage,
      detail: 'stop',
    };
    expect(told(start, { ...reply, outcome: 'reply' })).toMatchObject({
      figure: '1,000 → 20 tok (25.0 % cached)',
      state: undefined,
    });
    expect(told(start, { ...reply, outcome: 'error', detail: 'gone' })).toMatchObject({
      text: 'gone',
      state: ['bad', 'error'],
    });
  });

  it('says who serves a model, so that no stand-in looks like a vendor', () => {
    const reply = {
      type: 'model.call',
      step: 'turn',
      role: 'actor',
      model: 'gpt',
      provider: 'scripted',
      ms: 5,
      usage,
      outcome: 'reply',
    };
    expect(told(reply).text).toBe('turn · gpt · scripted');
  });

  it('waits for a decision until there is one', () => {
    const asked = { type: 'approval.requested', signal: 's', tool: 'pay', args: {}, why: 'it writes' };
    expect(told(asked).state).toEqual(['warn', english.statusAwaiting]);
    const decided = { type: 'approval.decided', signal: 's', approved: false, reason: 'no' };
    expect(told(asked, decided).state).toEqual(['bad', english.denied]);
  });

  it('names an event of a newer server', () => {
    expect(told({ type: 'future.thing' })).toMatchObject({ label: english.eventOther, subject: 'future.thing' });
  });

  it('speaks the chosen language', () => {
    const [line] = linesOf(timelineOf([eventOf('', call)]), new Set());
    if (!line || !('event' in line.node)) throw new Error('there is no line');
    expect(entryText(line.node, chinese).label).toBe(chinese.eventTool);
  });
});
