import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordedPassHatK } from '../../bench/evals/tau-bench-recorded.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-tau-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(...rows: unknown[]): string {
  const file = join(folder, 'trials.jsonl');
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

describe('recordedPassHatK', () => {
  it('counts the trials of each task, in whatever order they stand', () => {
    const rewards = { booking: [1, 1, 1, 1], change: [1, 0, 1, 0], refund: [0, 0, 0, 0.5] };
    const rows = [3, 1, 0, 2].flatMap((trial) =>
      Object.entries(rewards).map(([id, ofTask]) => ({ id, trial, reward: ofTask[trial], tool_calls: [] })),
    );
    const { tasks, passHatK, passAtK } = recordedPassHatK(fileOf(...rows));
    expect(tasks).toBe(3);
    expect(passHatK).toEqual([0.5, (1 + 1 / 6) / 3, 1 / 3, 1 / 3].map((share) => expect.closeTo(share, 12)));
    expect(passAtK).toEqual([0.5, (1 + 5 / 6) / 3, 2 / 3, 2 / 3].map((share) => expect.closeTo(share, 12)));
  });

  it('names the line that is no trial', () => {
    const file = fileOf({ id: 'booking', trial: 0, reward: 1 }, { id: 'booking', trial: 1 });
    expect(() => recordedPassHatK(file)).toThrow(/trials\.jsonl, line 2: .*reward/s);
  });
});
