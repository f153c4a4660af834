import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../agent.ts';
import { offlineContext } from '../../../checks/offline.ts';
import { UsageError } from '../../../core/errors.ts';
import { scriptedModel } from '../../../model/providers/script-model.ts';
import { react } from '../../../solver/react/react.ts';
import { attemptWith } from '../../../testing/attempt.ts';
import { callFinal, callTool } from '../../../testing/replies.ts';
import type { Environment, EvalTask } from '../../suite.ts';
import { type CustomerSimulator, scriptedCustomer } from './customer.ts';
import { replay } from './desk.ts';
import { type TauBench, tauBench } from './tau-bench.ts';

const address = { address1: '1 Elm', address2: '', city: 'Ely', state: 'X', country: 'Y', zip: '100' };
const moved = { ...address, city: 'Ayr' };
const database = {
  users: { bo: { name: { first_name: 'Bo', last_name: 'Li' }, address, email: 'bo@x.org', payment_methods: {} } },
  orders: {},
  products: {},
};
const move = { name: 'modify_user_address', args: { user_id: 'bo', ...moved } };
const rows = [
  { id: 'move', task: 'SECRET: you have moved to Ayr', expected: { actions: [move], outputs: ['1300'] } },
  { id: 'refuse', task: 'you want a discount', expected: { actions: [], outputs: [] } },
];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderWith(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tau-'));
  folders.push(folder);
  const all = {
    'taubench_retail.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
    'db.json': JSON.stringify(database),
    'policy.md': 'Be polite.',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

function bench(
  customer: CustomerSimulator = scriptedCustomer([]),
  turns = 30,
): TauBench & { move: EvalTask; refuse: EvalTask } {
  const made = tauBench({ folder: folderWith(), domain: 'retail', customer, turns });
  const [moveTask, refuseTask] = made.tasks;
  return { ...made, move: moveTask!, refuse: refuseTask! };
}

async function run({ tools = [] }: Environment, ...calls: [name: string, args: Record<string, string>][]) {
  return await replay(
    tools.flat(),
    calls.map(([name, args]) => ({ name, args })),
  );
}

async function graded({ grade }: TauBench, task: EvalTask, { state }: Environment) {
  const left = JSON.parse(JSON.stringify(await state?.()));
  return await grade.grade({ task, answer: 'done', attempt: attemptWith(), state: left }, offlineContext());
}

const say = (message: string): [string, Record<string, string>] => ['replyToCustomer', { message }];

describe('tauBench', () => {
  it('rewards the run of an agent that makes the expected change and says the expected output', async () => {
    const tau = bench(scriptedCustomer(['I have moved to Ayr, user bo.', 'Thank you. ###STOP###']));
    const environment = tau.environment(tau.move);
    const model = scriptedModel([
      callTool('replyToCustomer', { message: 'How can I help?' }),
      callTool('modify_user_address', { user_id: 'bo', ...moved }),
      callTool('replyToCustomer', { message: 'You live in Ayr now. That makes 1,300 points.' }),
      callFinal('The address was changed.'),
    ]);
    const agent = defineAgent({
      model,
      tools: environment.tools ?? [],
      policy: { write: 'allow' },
      solver: react({ maxSteps: 8 }),
    });
    const result = await agent.run({ input: tau.move.input });
    expect(result.attempt.observations.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(result.attempt.observations[0]?.content).toBe('I have moved to Ayr, user bo.');
    expect(await graded(tau, tau.move, environment)).toMatchObject({ pass: true, score: 1 });
  });

  it('shows the agent the policy and not the instruction of the customer', () => {
    const tau = bench();
    expect(tau.move.input).toContain('Be polite.');
    expect(JSON.stringify({ ...tau.move, expected: undefined })).not.toContain('SECRET');
  });

  it('fails a wrong change, and names the record', async () => {
    const tau = bench();
    const environment = tau.environment(tau.move);
    await run(environment, ['modify_user_address', { user_id: 'bo', ...moved, zip: '999' }], say('1300'));
    expect(await graded(tau, tau.move, environment)).toMatchObject({
      pass: false,
      why: expect.stringContaining('users/bo'),
    });
  });

  it('fails a change that was not wanted', async () => {
    const tau = bench();
    const environment = tau.environment(tau.refuse);
    await run(environment, ['modify_user_address', { user_id: 'bo', ...moved }], say('No discount.'));
    expect((await graded(tau, tau.refuse, environment)).pass).toBe(false);
  });

  it('fails an output that was not said to the customer', async () => {
    const tau = bench();
    const environment = tau.environment(tau.move);
    await run(environment, ['modify_user_address', move.args], say('It makes 13.00 points.'));
    expect(await graded(tau, tau.move, environment)).toMatchObject({ pass: false, why: 'no reply says "1300"' });
  });

  it('fails a run that does nothing where nothing is to be changed', async () => {
    const tau = bench();
    expect(await graded(tau, tau.refuse, tau.environment(tau.refuse))).toMatchObject({
      pass: false,
      why: 'the conversation was not brought to an end',
    });
  });

  it('passes a transfer to a human agent as an end', async () => {
    const tau = bench();
    const environment = tau.environment(tau.refuse);
    await run(environment, ['transfer_to_human_agents', { summary: 'wants a discount' }]);
    expect((await graded(tau, tau.refuse, environment)).pass).toBe(true);
  });

  it('gives each run a database of its own', async () => {
    const tau = bench();
    const [first, second] = [tau.environment(tau.move), tau.environment(tau.move)];
    await run(first, ['modify_user_address', move.args]);
    const [shown] = await run(second, ['get_user_details', { user_id: 'bo' }]);
    expect(shown).toMatchObject({ result: JSON.stringify(database.users.bo) });
  });

  it('runs nothing after the end of the conversation', async () => {
    const tau = bench();
    const environment = tau.environment(tau.move);
    const replayed = await run(environment, say('Bye.'), ['modify_user_address', move.args], say('Wait!'));
    expect(replayed.map((call) => 'error' in call)).toEqual([false, true, true]);
    expect(await environment.state?.()).toEqual({ changes: {}, replies: ['Bye.'], ended: 'customer' });
  });

  it('cuts a conversation that goes on and on, without a reward', async () => {
    const tau = bench(scriptedCustomer(['Hm.', 'Well.', 'Hm.']), 2);
    const environment = tau.environment(tau.refuse);
    const replayed = await run(environment, say('a'), say('b'), say('c'));
    expect(replayed.map((call) => ('result' in call ? call.result : 'refused'))).toEqual([
      'Hm.',
      expect.stringContaining('The conversation is over'),
      'refused',
    ]);
    expect((await graded(tau, tau.refuse, environment)).why).toContain('cut');
  });

  it('lets no branch or retry speak or change anything: replies and changes are effects', () => {
    const tau = bench();
    const tools = tau.environment(tau.move).tools?.flat() ?? [];
    const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
    expect(effects.get('replyToCustomer')).toBe('write');
    expect(effects.get('modify_user_address')).toBe('write');
    expect(effects.get('get_user_details')).toBe('read');
  });

  it.each([
    ['a database of another domain', { 'db.json': '{"users":{},"flights":{}}' }, /db\.json is not in the shape/],
    ['a row that does not fit', { 'taubench_retail.jsonl': '\n{"id":"x"}' }, /line 2/],
    [
      'a call of an unknown tool',
      {
        'taubench_retail.jsonl': JSON.stringify({
          ...rows[0],
          expected: { actions: [{ name: 'fly', args: {} }], outputs: [] },
        }),
      },
      /move calls 'fly'/,
    ],
  ])('refuses %s with the place', (_name, files, message) => {
    const load = () => tauBench({ folder: folderWith(files), domain: 'retail', customer: scriptedCustomer([]) });
    expect(load).toThrow(UsageError);
    expect(load).toThrow(message);
  });

  it('refuses a folder that is not there', () => {
    const load = () => tauBench({ folder: '/nowhere', domain: 'airline', customer: scriptedCustomer([]) });
    expect(load).toThrow(/Name a folder with/);
  });
});
