import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../trace/redact.ts';
import { cleanRun, withoutPersonalData } from './clean-text.ts';
import { runWith, verdict } from './sample-run.ts';
import { TaskSplit } from './task-split.ts';

describe('personal data', () => {
  it.each([
    ['Ask jo.b+depot@mail.yard.example, please', 'Ask [redacted:email], please'],
    ['call (555) 010-4477 or 555-010-4477', 'call [redacted:phone] or [redacted:phone]'],
    ['call +49 30 5550 1234.', 'call [redacted:phone].'],
    ['手机 13800138000。', '手机 [redacted:phone]。'],
  ])('is found: %s', (text, clean) => {
    expect(withoutPersonalData(text)).toBe(clean);
  });

  it.each([
    '2024-05-17 10:30',
    '3.14159265358',
    '1,234,567,890',
    'SKU-555-0104',
    'a@b',
    '+12',
    '10.0.0.255',
    '12345678901',
  ])('is not seen in %s', (text) => {
    expect(withoutPersonalData(text)).toBe(text);
  });

  it('is gone after one pass', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.emailAddress(), fc.string(), fc.constant('+44 20 7946 0018'))), (parts) => {
        const once = withoutPersonalData(parts.join(' '));
        expect(withoutPersonalData(once)).toBe(once);
      }),
    );
  });
});

describe('a run', () => {
  it('is clean in every text that is exported', () => {
    const secret = 'tr0ub4dor-and-three';
    const run = runWith({
      input: `Log in with ${secret}`,
      answer: `It was ${secret}`,
      versions: [{ answer: secret, verdict: verdict(false, { feedback: `not ${secret}` }) }],
      conversation: {
        messages: [
          { role: 'user', content: secret },
          {
            role: 'assistant',
            content: secret,
            calls: [{ id: 'c', name: 'login', args: { deep: [secret] } }],
            weight: 1,
          },
          { role: 'tool', callId: 'c', name: 'login', content: secret },
        ],
        tools: [{ name: 'login', description: secret, parameters: {} }],
      },
    });
    const clean = cleanRun(run, redactor({ env: {}, secrets: [secret] }), { personalData: false });
    expect(JSON.stringify(clean)).not.toContain(secret);
    expect(clean.conversation!.messages).toHaveLength(3);
  });
});

describe('a split', () => {
  it('gives a question the split of the task that asked it first', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.tuple(key, key)), fc.string(), (asked, seed) => {
        const split = new TaskSplit(seed, 0.5);
        const tasks = new Map<string, string>();
        const questions = new Map<string, string>();
        for (const [task, question] of asked) {
          const side = split.of(task, question);
          // Refused only where the two are on different sides already.
          if (side === undefined) expect(tasks.get(task) ?? 'none').not.toBe(questions.get(question));
          else {
            expect([side, undefined]).toContain(tasks.get(task));
            expect([side, undefined]).toContain(questions.get(question));
            tasks.set(task, side);
            questions.set(question, side);
          }
          // A new task can always take the side of its question.
          if (side === undefined) expect(tasks.has(task)).toBe(true);
        }
      }),
    );
  });

  it('has about the share of tasks that is asked for', () => {
    const split = new TaskSplit('s', 0.2);
    const sides = Array.from({ length: 2_000 }, (_, at) => split.of(`t${at}`, `q${at}`));
    expect(sides.filter((side) => side === 'validation').length / 2_000).toBeCloseTo(0.2, 1);
  });
});
