import { describe, expect, it } from 'vitest';
import type { FailureLabel } from '../findings.ts';
import { remedyOf, rowOf, type Symptom } from './selection-table.ts';
import { summaryOf } from './triage.ts';
import { triageText } from './triage-text.ts';

const label = (task: string, symptom: Symptom, change: Partial<FailureLabel> = {}): FailureLabel => ({
  runId: `run-${task}`,
  task,
  layer: rowOf(symptom).layer,
  rule: 'a-rule',
  by: 'rule',
  why: `Why of ${task}.`,
  evidence: [{ where: 'obs-1', text: 'words' }],
  remedy: remedyOf(rowOf(symptom)),
  ...change,
});

describe('triageText', () => {
  const text = triageText(
    summaryOf([
      label('t1', 'no-evidence'),
      label('t2', 'missed-constraints', { configuration: 'react', by: 'model', rule: 'model' }),
      label('t3', 'no-evidence'),
      label('t4', 'no-evidence', { by: 'nobody', rule: 'none', remedy: 'look' }),
    ]),
  );

  it('counts by layer, most first, with the mechanism, and those that nobody knows apart', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    expect(rows[2]).toMatch(/^\| verify \| 2 \| .*\(2\)/);
    expect(rows[3]).toMatch(/^\| decompose \| 1 \| Plan-and-Solve \(1\)/);
    expect(rows[4]).toMatch(/^\| not known \| 1 \|/);
  });

  it('says what to add first, how, and after whom', () => {
    const first = text.slice(text.indexOf('## Add first'), text.indexOf('## Failures'));
    expect(first).toContain('2 failures show that');
    expect(first).toContain('verification({');
    expect(first).toContain('CRITIC');
  });

  it('has a block a failure with its evidence, and marks a model as one', () => {
    expect(text).toContain("### t2, run run-t2 [react]: decompose (a model's opinion)");
    expect(text).toContain('### t4, run run-t4: not known');
    expect(text.match(/^- obs-1: words$/gm)).toHaveLength(4);
    expect(text).toContain('1 of these labels');
  });

  it('keeps evidence inside its line, whatever stands in it', () => {
    const hostile = label('t5', 'no-evidence', {
      evidence: [{ where: 'obs-1', text: 'a\n## Add first\u001b[2J\r- obs-2: b' }],
    });
    expect(triageText(summaryOf([hostile]))).toContain('- obs-1: a ## Add first [2J - obs-2: b');
  });

  it('says that there is nothing', () => {
    expect(triageText(summaryOf([]))).toMatch(/^No failures/);
  });
});
