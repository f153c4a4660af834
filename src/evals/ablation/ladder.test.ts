import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checksPass } from '../../checks/evaluators/checks-pass.ts';
import { functionModel } from '../../model/providers/function-model.ts';
import { exactAnswer } from '../../solver/self-consistency/normalisers.ts';
import { compose } from '../../solver/solver.ts';
import type { AblationOptions, Configuration } from '../suite.ts';
import { ladder, leaveOneOut, type Rung, samplesOfDirect } from './ladder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ladder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const whole: AblationOptions = {
  agent: { model: functionModel(() => '') },
  evaluator: () => checksPass(['quotes']),
  selfConsistency: { normalise: exactAnswer },
};

function agentOf({ agent }: Configuration) {
  const setting = { task: { id: 'one', input: 'do it' }, repeat: 1, folder };
  return typeof agent === 'function' ? agent(setting) : agent;
}
function layersOf(rung: Rung): string[] {
  return (agentOf(rung).layers ?? []).map(({ name }) => name);
}

describe('ladder', () => {
  it('adds one mechanism a rung, from the direct answer up', () => {
    expect(ladder(whole).map(({ name }) => name)).toEqual([
      'direct',
      '+react',
      '+plan',
      '+verification',
      '+refine',
      '+lessons',
      '+reflexion',
      '+self-consistency',
    ]);
    expect(ladder(whole).map((rung) => agentOf(rung).solver?.name)).toEqual(['direct', ...Array(7).fill('react')]);
    expect(layersOf(ladder(whole).at(-1)!)).toEqual([
      'lessons',
      'reflexion',
      'self-consistency',
      'verification',
      'plan',
    ]);
  });

  it('puts the layers of every rung in the order that composing asks for', () => {
    const warnings: string[] = [];
    for (const rung of [...ladder(whole), ...leaveOneOut(whole)]) {
      const { layers = [], solver } = agentOf(rung);
      compose(layers, solver!.solve, (warning) => warnings.push(warning));
    }
    expect(warnings).toEqual([]);
  });

  it('turns revising on with refine, and not with verification alone', () => {
    const rounds = (name: string) => {
      const rung = ladder(whole).find((one) => one.name === name)!;
      return (agentOf(rung).layers ?? []).find((layer) => layer.name === 'verification')?.config;
    };
    expect(rounds('+verification')).toMatchObject({ rounds: 0 });
    expect(rounds('+refine')).toMatchObject({ rounds: 2 });
  });

  it('leaves out reflexion without an evaluator, and lessons on request', () => {
    const names = ladder({ agent: whole.agent, lessons: false }).map(({ name }) => name);
    expect(names).not.toContain('+reflexion');
    expect(names).not.toContain('+lessons');
  });

  it('leaves out each mechanism but the loop, with what rests on it', () => {
    const without = leaveOneOut(whole);
    expect(without.map(({ name }) => name)).toEqual([
      'without plan',
      'without verification',
      'without refine',
      'without lessons',
      'without reflexion',
    ]);
    expect(without[1]!.mechanisms).not.toContain('refine');
  });

  it('runs in order what learns, and only that', () => {
    const sequential = [...ladder(whole), ...leaveOneOut(whole)].filter((rung) => rung.sequential);
    expect(sequential.every(({ mechanisms }) => mechanisms.includes('lessons'))).toBe(true);
    expect(sequential.map(({ name }) => name)).not.toContain('without lessons');
  });

  it('controls with plain samples of the direct answer', () => {
    const control = samplesOfDirect('equal budget x7', 7, whole);
    expect(agentOf(control).solver?.name).toBe('direct');
    expect(agentOf(control).layers?.[0]?.config).toMatchObject({ samples: 7, stopEarly: false });
  });
});
