import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../core/event.ts';
import { noUsage } from '../core/usage.ts';
import type { Screen } from './screen.ts';
import { styleFor } from './style.ts';
import { shownKey, Timeline } from './timeline.ts';
import { rowsOf } from './timeline-rows.ts';
import { widthOf } from './width.ts';

interface FakeScreen extends Screen {
  notes: string[];
  drawn: string[];
}

function fakeScreen(options: { canRedraw?: boolean; canAsk?: boolean } = {}): FakeScreen {
  const notes: string[] = [];
  const drawn: string[] = [];
  return {
    columns: 80,
    outColumns: 80,
    style: styleFor(false),
    outStyle: styleFor(false),
    canRedraw: options.canRedraw ?? false,
    canAsk: options.canAsk ?? false,
    out: () => {},
    note: (text) => notes.push(text),
    draw: (text) => drawn.push(text),
    notes,
    drawn,
  };
}

let number = 0;
function event(body: EventBody, at: Partial<RunEvent> = {}): RunEvent {
  number++;
  return { ...body, id: `:${body.type}#${number}`, run: 'r1', path: '', at: 0, live: true, ...at } as RunEvent;
}

function called(step: string, tokens: number): EventBody {
  const usage = { ...noUsage, modelCalls: 1, inputTokens: tokens, outputTokens: 1, tokens: tokens + 1 };
  const prompt = { messages: 1, bytes: 1, fingerprint: '' };
  return {
    type: 'model.call',
    step,
    role: 'actor',
    model: 'm',
    provider: 'script',
    prompt,
    outcome: 'reply',
    detail: 'stop',
    usage,
    ms: 5,
  };
}

const hostile = `evil\x1b[2J\u202e${' and long words'.repeat(30)}\r\nnext`;
const issue = { type: 'incomplete', detail: hostile, requiredAction: hostile } as const;
const every: EventBody[] = [
  { type: 'run.warning', why: hostile },
  { type: 'run.start', task: hostile, model: 'm', layers: ['plan'], solver: 'react' },
  { type: 'run.end', status: 'failed', reason: hostile, usage: noUsage, activeMs: 61_000 },
  { type: 'lesson.recalled', lessons: [{ id: '1', trigger: hostile, lesson: hostile }] },
  { type: 'lesson.admitted', id: '1', admitted: true, why: 'new', lesson: hostile },
  { type: 'lesson.failed', what: 'recall', why: hostile },
  {
    type: 'plan.made',
    plan: {
      goal: hostile,
      constraints: [hostile],
      givens: [],
      effects: [],
      steps: [{ id: 's1', objective: hostile, needsExternalInfo: true, successCondition: '', status: 'todo' }],
    },
  },
  { type: 'plan.updated', step: hostile, status: 'done' },
  { type: 'plan.failed', why: hostile },
  { type: 'step.start', step: hostile, objective: hostile },
  { type: 'model.retry', step: 'turn', attempt: 1, waitMs: 2_000, why: hostile },
  called('plan', 10),
  { type: 'model.repaired', step: 'turn', how: [hostile] },
  { type: 'turn.invalid', why: hostile },
  { type: 'tool.call', tool: hostile, args: { text: hostile }, observation: 'obs-1' },
  { type: 'tool.result', tool: 'x', observation: 'obs-1', status: 'ok', chars: 9, preview: hostile, ms: 3 },
  { type: 'tool.refused', tool: hostile, why: hostile, cause: 'invalid' },
  { type: 'approval.requested', signal: 's', tool: hostile, args: { text: hostile }, why: hostile },
  { type: 'approval.decided', signal: 's', approved: false, reason: hostile },
  { type: 'answer.drafted', answer: hostile, claims: 2, degraded: true },
  { type: 'attempt.end', ended: { type: 'limit', limit: 'steps', detail: hostile } },
  {
    type: 'verify.report',
    report: { by: 'checks', knows: 'rules', verdict: 'revise', issues: [issue], needsMoreTools: true },
  },
  { type: 'verify.questions', questions: [hostile] },
  { type: 'refine.made', round: 1, issues: [issue], withTools: true },
  { type: 'tool.late', tool: hostile, ms: 5 },
  { type: 'trial.start', trial: 2, reflections: [hostile] },
  { type: 'trial.end', trial: 2, by: hostile, knows: 'tests', pass: false, score: 0, feedback: hostile },
  { type: 'reflection.made', trial: 1, text: hostile },
  { type: 'sample.end', sample: 1, answer: hostile, vote: hostile },
  { type: 'vote.made', votes: [{ answer: hostile, count: 2 }], winner: hostile, by: 'majority', stoppedEarly: true },
  { type: 'search.node', node: '1.2', parent: '1', depth: 2, state: hostile, value: 0.5, verdict: 'kept' },
  { type: 'search.end', visited: 4, best: hostile, value: 1 },
  { type: 'budget.spent', usage: noUsage, activeMs: 5 },
  { type: 'sink.failed', sink: hostile, why: hostile },
];

test.each(every)('$type is told in 80 columns with nothing that acts on a terminal', (body) => {
  const screen = fakeScreen();
  new Timeline({ screen }).write(event(body));
  const lines = screen.notes.flatMap((note) => note.split('\n'));
  if (!['run.end', 'sink.failed'].includes(body.type)) expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(widthOf(line)).toBeLessThanOrEqual(80);
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
});

test('a fact that a replay tells again is shown once', () => {
  const screen = fakeScreen();
  const timeline = new Timeline({ screen });
  const told = event({ type: 'plan.failed', why: 'no model' });
  timeline.write(told);
  timeline.write({ ...told, live: false });
  expect(screen.notes).toHaveLength(1);
});

test('what an earlier process showed is not shown again', () => {
  const screen = fakeScreen();
  const told = event({ type: 'plan.failed', why: 'no model' });
  new Timeline({ screen, shown: new Set([shownKey(told)]) }).write(told);
  expect(screen.notes).toEqual([]);
});

test('a retry is shown though its number began anew after a resume', () => {
  const screen = fakeScreen();
  const retry = event(
    { type: 'model.retry', step: 'turn', attempt: 1, waitMs: 10, why: 'busy' },
    { id: ':model.retry#1' },
  );
  const timeline = new Timeline({ screen, shown: new Set([shownKey(retry)]) });
  timeline.write(retry);
  expect(screen.notes).toHaveLength(1);
});

test('the turn is named in front of its model call, also after a replay', () => {
  const screen = fakeScreen();
  const turn = event({ type: 'turn.start', turn: 3 });
  const timeline = new Timeline({ screen, shown: new Set([shownKey(turn)]) });
  timeline.write(turn);
  timeline.write(event(called('turn', 20)));
  expect(screen.notes).toEqual([expect.stringMatching(/^turn 3 +actor 20 \+ 1 tokens/)]);
});

test('the answers to verification questions are counted into the verdict that follows', () => {
  const screen = fakeScreen();
  const timeline = new Timeline({ screen });
  timeline.write(event(called('answer', 100)));
  timeline.write(event(called('answer', 100)));
  timeline.write(event(called('verify.verdict', 50)));
  expect(screen.notes).toEqual([expect.stringContaining('250 + 3 tokens')]);
});

test('without a terminal no cursor is moved', () => {
  const screen = fakeScreen({ canRedraw: false });
  const timeline = new Timeline({ screen });
  timeline.write(event({ type: 'model.start', step: 'turn', role: 'actor' }));
  timeline.write(event({ type: 'model.delta', text: 'abc' }));
  timeline.close();
  expect(screen.drawn).toEqual([]);
});

test('on a terminal the progress line is gone before anything else is written', () => {
  const screen = fakeScreen({ canRedraw: true });
  const timeline = new Timeline({ screen });
  timeline.write(event({ type: 'model.start', step: 'turn', role: 'actor' }));
  timeline.write(event({ type: 'run.warning', why: 'odd' }));
  expect(screen.drawn.at(-1)).toBe('\r\x1b[2K');
  timeline.close();
});

test('whoever is asked at the terminal does not read the call twice', () => {
  const asked = event({ type: 'approval.requested', signal: 's', tool: 'send', args: {}, why: 'effect' });
  const screen = fakeScreen({ canAsk: true });
  const timeline = new Timeline({ screen });
  timeline.write(asked);
  timeline.write(event({ type: 'approval.decided', signal: 's', approved: true, reason: '' }));
  expect(screen.notes).toEqual([expect.stringMatching(/send approved$/)]);
});

test('an unknown price is never told as no cost', () => {
  const usage = { ...noUsage, tokens: 10, unpricedCalls: 2 };
  const rows = rowsOf(event({ type: 'budget.spent', usage, activeMs: 1 }));
  expect(rows[0]?.text).toContain('price unknown');
});
