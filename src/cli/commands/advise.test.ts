import { expect, test } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { homeOf } from '../home.ts';
import { processScreen } from '../screen.ts';
import { command } from './advise.ts';

/** What the command prints for these answers; nobody is at a terminal. */
async function advice(options: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const screen = {
    ...processScreen({ env: { NO_COLOR: '1' } }),
    canAsk: false,
    out: (text: string) => void lines.push(text),
  };
  const home = homeOf('');
  expect(await command({ args: [], options, home, json: false, screen })).toBe(0);
  return lines.join('\n');
}

test('three good answers name a method and the reason for it', async () => {
  const text = await advice({ paths: 'whole', evaluator: 'tests', errorPays: 'yes' });
  expect(text).toMatch(/reflexion[\s\S]*tests can judge them/);
});

test('one bad answer is enough for one attempt', async () => {
  const text = await advice({ paths: 'whole', evaluator: 'self', errorPays: 'yes' });
  expect(text).toMatch(/one attempt[\s\S]*liking/);
});

test('without a terminal a missing answer is an error that lists the choices', async () => {
  await expect(advice({ paths: 'whole' })).rejects.toThrow(UsageError);
  await expect(advice({ paths: 'whole' })).rejects.toThrow('--error-pays yes|no');
});
