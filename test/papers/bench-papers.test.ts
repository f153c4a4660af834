import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { benchPapers } from '../../bench/papers/bench-papers.ts';
import { type Figure, standingOf } from '../../bench/papers/figures.ts';
import {
  materialIn,
  metric,
  metricList,
  metricNames,
  needed,
  readRows,
  tracesBeside,
} from '../../bench/papers/material.ts';
import { inParallel, type Part } from '../../bench/papers/part.ts';

const noWork = { runs: 0, modelCalls: 0, toolCalls: 0, events: 0 };
const partWith = (...figures: Figure[]): Part => ({
  name: 'ships',
  title: 'Ships',
  run: async () => ({ figures, notes: ['a note'], work: noWork }),
});

let place = '';
let project = '';
let printed: string[] = [];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'assay-papers-'));
  project = join(place, 'project');
  mkdirSync(project);
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(place, { recursive: true, force: true });
});

function writeMetrics(metrics: object): string {
  const traces = join(place, 'released', 'traces');
  mkdirSync(traces, { recursive: true });
  writeFileSync(join(traces, 'METRICS.json'), JSON.stringify(metrics));
  return traces;
}

describe('the bench', () => {
  it('says that it is skipped, and that this is no failure, where no recorded outputs are', async () => {
    const ran = vi.fn();
    expect(await benchPapers([{ ...partWith(), run: ran }], { project })).toBe(0);
    expect(printed.join()).toMatch(/^skipped: .*--traces/);
    expect(ran).not.toHaveBeenCalled();
  });

  it('finds a folder of traces beside the project, with the tasks next to it', async () => {
    const traces = writeMetrics({ ships: 7 });
    expect(tracesBeside(project)).toBe(traces);
    const run = vi.fn(partWith().run);
    expect(await benchPapers([{ ...partWith(), run }], { project })).toBe(0);
    expect(run).toHaveBeenCalledWith({ traces, data: join(place, 'released', 'data'), metrics: { ships: 7 } });
  });

  it('fails when one figure differs, and prints it beside the recorded and the published one', async () => {
    writeMetrics({});
    const part = partWith({ name: 'masts', ours: [1, 2], recorded: [1, 3], published: 'table 9' });
    expect(await benchPapers([part], { project })).toBe(1);
    expect(printed.join('\n')).toMatch(/masts +1 2 +1 3 +table 9 +DIFFERS[\s\S]*a note/);
  });

  it('does not fail for a difference that the part has explained, and prints why', async () => {
    writeMetrics({});
    const part = partWith({ name: 'masts', ours: 1, recorded: 2, explained: 'they counted a boat' });
    expect(await benchPapers([part], { project })).toBe(0);
    expect(printed).toContain('masts: they counted a boat');
  });

  it('refuses unknown parts and folders without METRICS.json, and names what there is', async () => {
    writeMetrics({});
    expect(await benchPapers([partWith()], { project, only: 'ships,boats' })).toBe(2);
    expect(await benchPapers([partWith()], { project, traces: project })).toBe(2);
    expect(printed.join('\n')).toMatch(/No part is called boats\. The parts are: ships\.[\s\S]*holds no METRICS\.json/);
  });
});

describe('a figure', () => {
  it.each<[Partial<Figure>, string]>([
    [{ ours: 0.1 + 0.2, recorded: 0.3 }, 'same'],
    [{ ours: 3, recorded: [3] }, 'same'],
    [{ ours: 0.3, recorded: 0.3001 }, 'DIFFERS'],
    [{ ours: [1, 2], recorded: [1, 2, 3] }, 'DIFFERS'],
    [{ ours: [1, 2, 3], recorded: [1, 2] }, 'DIFFERS'],
    [{ ours: Number.NaN, recorded: 1 }, 'DIFFERS'],
    [{ ours: 1, recorded: 2, explained: 'why' }, 'explained'],
    [{ ours: 1, recorded: 1, explained: 'why' }, 'same'],
    [{ ours: 1 }, 'not recorded'],
  ])('%o stands as %s', (figure, standing) => {
    expect(standingOf({ name: '', ours: 0, ...figure })).toBe(standing);
  });
});

describe('the loaders', () => {
  const Ship = z.object({ id: z.string(), masts: z.number() });

  it('read one JSON object a line, and name the file and the line of one that does not fit', () => {
    const file = join(place, 'ships.jsonl');
    writeFileSync(file, '{"id":"a","masts":1}\n\n{"id":"b","masts":2,"crew":9}\n');
    expect(readRows(file, Ship)).toEqual([
      { id: 'a', masts: 1 },
      { id: 'b', masts: 2 },
    ]);
    writeFileSync(file, '{"id":"a","masts":1}\n\n{"id":"b"}\n');
    expect(() => readRows(file, Ship)).toThrow(/ships\.jsonl, line 3: .*masts/s);
    writeFileSync(file, '{"id":');
    expect(() => readRows(file, Ship)).toThrow(/ships\.jsonl, line 1/);
  });

  it('never take a figure that is missing for one that agrees', () => {
    const { metrics } = materialIn(writeMetrics({ curve: { 1: { n: 4 }, 2: {} }, mean: [1, 2], text: 'x' }));
    expect(metric(metrics, 'curve', '1', 'n')).toBe(4);
    expect(metricNames(metrics, 'curve')).toEqual(['1', '2']);
    expect(metricList(metrics, 'mean')).toEqual([1, 2]);
    for (const path of [['curve', '2', 'n'], ['lost'], ['text'], ['mean', '0']])
      expect(() => metric(metrics, ...path), path.join()).toThrow(`no number at ${path.join(' / ')}`);
    expect(() => metricList(metrics, 'curve')).toThrow(/no list/);
    expect(() => metricNames(metrics, 'mean')).toThrow(/no figures/);
    expect(() => needed(new Map(), 'ship-7')).toThrow(/ship-7/);
  });
});

describe('work in parallel', () => {
  it('gives results in the order of the items, and never does more at once than it may', async () => {
    let running = 0;
    let most = 0;
    const made = await inParallel([3, 1, 2, 0], 2, async (ticks) => {
      most = Math.max(most, ++running);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      running--;
      return ticks * 10;
    });
    expect(made).toEqual([30, 10, 20, 0]);
    expect(most).toBe(2);
  });
});
