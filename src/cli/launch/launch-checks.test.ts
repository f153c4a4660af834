import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentOptions } from '../../agent.ts';
import type { Lesson } from '../../core/lesson.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import { functionModel } from '../../model/providers/function-model.ts';
import { lessons } from '../../solver/lessons/lessons.ts';
import { react } from '../../solver/react/react.ts';
import { verification } from '../../solver/verification/verification.ts';
import { calculator } from '../../tools/builtin/calculator/calculator.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import type { Evaluated } from './last-evaluation.ts';
import { type LaunchCheck, type LaunchFacts, launchChecks } from './launch-checks.ts';

const day = 86_400_000;
const now = 1_000 * day;
const evaluated: Evaluated = { name: 'desk/1', ended: now - day, hasBaseline: true, figures: 'agent 90 % of 200' };
const good: AgentOptions = { model: functionModel(() => ''), tools: [calculator()], layers: [verification()] };

const ask = (agent: Partial<AgentOptions>, facts: Partial<LaunchFacts> = {}): LaunchCheck[] =>
  launchChecks({ agent: { ...good, ...agent }, lessons: [], evaluated, now, ...facts });
const failed = (...given: Parameters<typeof ask>): LaunchCheck[] => ask(...given).filter(({ ok }) => !ok);

const toolWith = ({ effect = 'irreversible', trust = 'untrusted' }: Partial<Pick<Tool, 'effect' | 'trust'>>): Tool =>
  tool({
    ...{ name: 'mail', description: 'sends', input: z.object({ to: z.string() }), effect, trust },
    run: () => 'sent',
  });
const lesson = (expires: number): Lesson => ({ id: '0123456789abcdef', expires }) as Lesson;

describe('launchChecks', () => {
  it('asks six questions, and passes an agent that answers all', () => {
    expect(ask({})).toHaveLength(6);
    expect(failed({})).toEqual([]);
  });

  it.each([
    ['a run without a limit', { budget: { tokens: undefined } }, 'budget', /tokens: 200000/],
    ['a loop without a limit', { solver: react({ maxSteps: Number.POSITIVE_INFINITY }) }, 'solver', /react/],
    [
      'an effect that nobody is asked about',
      { tools: [toolWith({})], policy: { irreversible: 'allow' } },
      'policy',
      /irreversible: 'ask'/,
    ],
    [
      'a rule that allows everything',
      { tools: [toolWith({})], policy: { rules: [{ action: 'allow' }] } },
      'policy',
      /name a tool/,
    ],
    [
      'a tool whose output counts as trusted',
      { tools: [toolWith({ effect: 'read', trust: 'trusted' })] },
      'tools',
      /trust: 'trusted'/,
    ],
    [
      'a rule that lets untrusted text through',
      { policy: { rules: [{ action: 'allow', tool: 'mail', untrusted: 'allow' }] } },
      'policy',
      /untrusted: 'allow'/,
    ],
    ['an answer that nobody judges', { layers: [] }, 'layers', /verification/],
    ['a model that is its own only judge', { layers: [verification({ checks: [] })] }, 'layers', /verification/],
  ] satisfies [string, Partial<AgentOptions>, string, RegExp][])(
    'finds %s, and names what to change',
    (_, agent, option, remedy) => {
      const [found, ...more] = failed(agent);
      expect(more).toEqual([]);
      expect(found).toMatchObject({ option });
      expect(found?.remedy).toMatch(remedy);
    },
  );

  it('lets a rule allow a narrow call, and code that only computes be trusted', () => {
    const policy = { rules: [{ action: 'allow' as const, tool: 'mail', args: { to: 'me@desk.example' } }] };
    expect(failed({ tools: [calculator(), toolWith({})], policy })).toEqual([]);
  });

  it('takes another model for an external judge', () => {
    const model = { actor: functionModel(() => ''), verifier: functionModel(() => '') };
    expect(failed({ model, layers: [verification({ checks: [] })] })).toEqual([]);
  });

  it('finds lessons that outlast a year, where lessons are kept', () => {
    const layers = [lessons({ store: inMemoryLessons() }), verification()];
    expect(failed({ layers }, { lessons: [lesson(now + 90 * day)] })).toEqual([]);
    const [found] = failed({ layers }, { lessons: [lesson(now + 400 * day), lesson(Number.POSITIVE_INFINITY)] });
    expect(found?.detail).toContain('2 outlast a year');
    expect(failed({}, { lessons: [lesson(now + 400 * day)] })).toEqual([]);
  });

  it.each([
    ['missing', undefined],
    ['old', { ...evaluated, ended: now - 31 * day }],
    ['without a baseline', { ...evaluated, hasBaseline: false }],
  ])('finds an evaluation that is %s', (_, last) => {
    expect(failed({}, { evaluated: last })).toMatchObject([{ what: 'whole tasks were evaluated' }]);
  });
});
