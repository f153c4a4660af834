import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal } from '../../testing/replies.ts';
import { planAndSolve } from './plan-and-solve.ts';

const questions = ['How many boats has a yard?', 'How many have all yards?', 'What do all boats cost?'];
const answers = ['seven', 'seventy', 'seven thousand'];

describe('least to most', () => {
  it('orders the plan from easy to hard, and asks each question with all earlier answers', async () => {
    let asked = 0;
    const model = scriptedModel((_, { role }) => {
      if (role === 'planner') {
        return JSON.stringify({
          goal: 'cost',
          steps: questions.map((objective, index) => ({ id: `q${index}`, objective })),
        });
      }
      return role === 'compose'
        ? JSON.stringify({ answer: 'seven thousand', claims: [] })
        : callFinal(answers[asked++] ?? '');
    });
    const layers = [planAndSolve({ mode: 'each-step', order: 'least-to-most' })];
    const result = await defineAgent({ model, layers }).run('what do all boats cost');
    expect(result.answer).toBe('seven thousand');
    const [planner, first, second, third] = model.calls.map(({ prompt }) => JSON.stringify(prompt));
    expect(planner).toContain('from the easiest to the hardest');
    expect(first).not.toContain('Answer: seven');
    expect(second).toContain('Question: How many boats has a yard? Answer: seven');
    expect(second).not.toContain('Answer: seventy');
    for (const index of [0, 1]) expect(third).toContain(`Question: ${questions[index]} Answer: ${answers[index]}`);
  });

  it('is no order for a plan that is handed over whole', () => {
    expect(() => planAndSolve({ order: 'least-to-most' })).toThrow("needs mode 'each-step'");
  });

  it('leaves other plans as they were', async () => {
    const model = scriptedModel((_, { role }) =>
      role === 'planner' ? JSON.stringify({ goal: 'g', steps: [{ id: 's', objective: 'o' }] }) : callFinal('x'),
    );
    await defineAgent({ model, layers: [planAndSolve()] }).run('what');
    expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain('easiest');
  });
});
