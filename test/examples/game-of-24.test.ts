import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { gameOf24 } from '../../examples/game-of-24/game-of-24.ts';
import { defineAgent } from '../../src/agent.ts';
import { type ScriptFunction, scriptedModel } from '../../src/model/providers/script-model.ts';
import { treeOfThoughts } from '../../src/solver/tree-of-thoughts/tree-of-thoughts.ts';

const task = (numbers: string): string => `Make 24 of these numbers, each used once: ${numbers}`;

async function play(numbers: string, script?: ScriptFunction) {
  const inCode = script === undefined;
  const solver = treeOfThoughts({ problem: gameOf24({ proposer: inCode, evaluator: inCode }), depth: 3 });
  return defineAgent({ model: scriptedModel(script ?? []), solver }).run(task(numbers));
}

describe('the Game of 24', () => {
  it.each(['4 9 10 13', '3 3 8 8', '1 5 5 5', '2 8 8 14'])(
    'is solved for %s with each number used once',
    async (numbers) => {
      const result = await play(numbers);
      expect(result).toMatchObject({ status: 'completed', selfChecked: false });
      const [expression = '', value] = result.answer?.split(' = ') ?? [];
      expect(value).toBe('24');
      expect(expression.match(/\d+/g)?.sort()).toEqual(numbers.split(' ').sort());
      // The expression holds digits, blanks, brackets and the four signs only.
      expect(expression).toMatch(/^[\d\s()+*/-]+$/);
      expect(Number(new Function(`return ${expression}`)())).toBeCloseTo(24);
    },
  );

  it('is not solved where there is no solution', async () => {
    expect(await play('1 1 1 1')).toMatchObject({ status: 'stopped', reason: { code: 'no-progress' } });
  });

  it('lets a model propose, and takes no move with numbers that are not there', async () => {
    const result = await play('4 9 10 13', ({ prompt }, { role }) => {
      if (role === 'value') return JSON.stringify({ judgement: 'likely' });
      const left = /left: ([^"\\]*)/.exec(JSON.stringify(prompt))?.[1];
      const moves: Record<string, string> = { '4 9 10 13': '13 - 9', '4 4 10': '10 - 4', '4 6': '4 × 6' };
      return JSON.stringify({ steps: [{ text: '7 + 17 = 24' }, { text: moves[left ?? ''] ?? 'nothing' }] });
    });
    expect(result).toMatchObject({ status: 'completed', answer: '((13 - 9) * (10 - 4)) = 24' });
  });

  it('prints the size of the tree and the solution', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['examples/game-of-24/main.ts', ...args], { encoding: 'utf8' });
    const { stdout, status } = run('4', '9', '10', '13');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\d+ states: \d+ kept, \d+ pruned, \d+ duplicates, 1 solution\(s\); 0 model calls/);
    expect(stdout).toMatch(/= 24$/m);
    expect(run('4', '9', '10', '13', '--blind').stdout).toContain('no solution found');
  });
});
