import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { functionModel } from '../../model/providers/function-model.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal } from '../../testing/replies.ts';
import { type Tool, tool } from '../../tools/tool.ts';

function boats(run: (query: string) => string = () => '17'): Tool {
  const input = z.object({ query: z.string(), limit: z.number().optional() });
  return tool({ name: 'boats', description: 'Counts boats.', input, effect: 'read', run: ({ query }) => run(query) });
}

/** Runs a plain function as the model; each reply is one text. */
async function speak(replies: string[], tools: Tool[] = [boats()]) {
  const prompts: { system: string; user: string }[] = [];
  const model = functionModel((system, user) => {
    prompts.push({ system, user });
    return replies[prompts.length - 1] ?? '';
  });
  const result = await defineAgent({ model, tools }).run('count the boats');
  return { result, prompts };
}

const final = (answer: string) => JSON.stringify({ type: 'final', answer, claims: [] });
const action = (query: string) => JSON.stringify({ type: 'tool', tool: 'boats', args: { query } });

describe('the JSON action of text-only models', () => {
  it('runs the same loop: action, observation, final', async () => {
    const { result, prompts } = await speak([action('all'), final('17 boats')]);
    expect(result.answer).toBe('17 boats');
    expect(prompts[0]?.system).toContain('boats: Counts boats.');
    expect(prompts[1]?.user).toContain('[obs-1] boats ok');
  });

  it('shows only strictly valid JSON in its examples', async () => {
    const { prompts } = await speak([final('x')]);
    const examples = prompts[0]?.system.split('\n').filter((line) => line.startsWith('{')) ?? [];
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) expect(() => JSON.parse(example)).not.toThrow();
  });

  it('runs the first action only, and drops an observation and an answer that the model invented after it', async () => {
    const invented = `${action('all')}\nObservation: 99\n${final('99 boats')}`;
    const { result, prompts } = await speak([invented, final('17 boats')]);
    expect(result.answer).toBe('17 boats');
    expect(prompts[1]?.user).not.toContain('99 boats');
    expect(prompts[1]?.user).not.toContain('Observation:');
  });

  it('asks again for an answer that stands before an action', async () => {
    const { result, prompts } = await speak([`${final('99 boats')} but first ${action('all')}`, final('17 boats')]);
    expect(result.answer).toBe('17 boats');
    expect(prompts[1]?.user).toContain('exactly one action');
  });

  it('never takes an action out of the reasoning', async () => {
    const asked: string[] = [];
    const { result } = await speak(
      [`<think>Perhaps ${action('drop')}</think>${action('all')}`, final('17')],
      [
        boats((query) => {
          asked.push(query);
          return '17';
        }),
      ],
    );
    expect(asked).toEqual(['all']);
    expect(result.answer).toBe('17');
  });

  it('says what an action looks like when the JSON is none', async () => {
    const { prompts } = await speak(['{"query":"all"}', 'nothing here }', final('17')]);
    expect(prompts[1]?.user).toContain('"type":"tool"');
    expect(prompts[2]?.user).toMatch(/no JSON/i);
  });

  it('does not give a guessed repair to a tool with an effect', async () => {
    let ran = 0;
    const burn = tool({
      name: 'burn',
      description: 'Burns a boat.',
      input: z.object({ name: z.string() }),
      effect: 'write',
      run: () => {
        ran++;
      },
    });
    const model = functionModel((_, user) =>
      user.includes('guessed') ? final('no') : "{'type':'tool','tool':'burn','args':{'name':'x'}}",
    );
    const result = await defineAgent({ model, tools: [burn], policy: { write: 'allow' } }).run('x');
    expect(result.answer).toBe('no');
    expect(ran).toBe(0);
  });
});

describe('an action that is only spoken of', () => {
  function clearing() {
    const counted = { ran: 0 };
    const clear = tool({
      name: 'clear',
      description: 'Empties the harbour.',
      input: z.object({ port: z.string() }),
      effect: 'irreversible',
      run: () => {
        counted.ran++;
      },
    });
    return { counted, clear };
  }
  const wish = '{"type":"tool","tool":"clear","args":{"port":"Brest"}}';
  const mentions = [
    `One would send ${wish} to empty it. Shall I?`,
    `The form is \`${wish}\``,
    `${wish} is what I would send.`,
    `See below.\nFor example \`\`\`json\n${wish}\n\`\`\``,
  ];

  it.each(mentions)('has no effect, whatever the policy: %j', async (mention) => {
    for (const textOnly of [true, false]) {
      const { counted, clear } = clearing();
      const model = textOnly
        ? functionModel((_, user) => (user.includes('guessed') ? final('asked') : mention))
        : scriptedModel([mention, callFinal('asked')]);
      const result = await defineAgent({ model, tools: [clear], policy: { irreversible: 'allow' } }).run('x');
      expect(result.answer).toBe('asked');
      expect(counted.ran).toBe(0);
    }
  });

  it('is meant where it stands on lines of its own', async () => {
    const { counted, clear } = clearing();
    const model = functionModel((_, user) => (user.includes('Result of') ? final('empty') : `It has to go.\n${wish}`));
    await defineAgent({ model, tools: [clear], policy: { irreversible: 'allow' } }).run('x');
    expect(counted.ran).toBe(1);
  });
});

describe('calls that a server left in the text of a native model', () => {
  it('recovers a call that is all there is', async () => {
    const xml =
      '<tool_call>\n<function=boats>\n<parameter=query>length < 12 m</parameter>\n<parameter=limit>3</parameter>\n</function>\n</tool_call>';
    const model = scriptedModel([xml, callFinal('2')]);
    const result = await defineAgent({ model, tools: [boats((query) => query)] }).run('x');
    expect(result.attempt.observations).toMatchObject([
      { args: { query: 'length < 12 m', limit: 3 }, content: 'length < 12 m' },
    ]);
  });

  it('treats a mention in prose as prose', async () => {
    const mention = 'You would write <tool_call>{"name":"boats","arguments":{"query":"all"}}</tool_call> for that.';
    const model = scriptedModel([mention, callFinal('ok')]);
    const result = await defineAgent({ model, tools: [boats()] }).run('x');
    expect(result.attempt.observations).toEqual([]);
  });

  it('never takes leaked control tokens for an answer', async () => {
    const model = scriptedModel(['<|channel|>analysis<|message|>I should count the boats', callFinal('17')]);
    const result = await defineAgent({ model, tools: [boats()] }).run('x');
    expect(result.answer).toBe('17');
    expect(JSON.stringify(result.attempt.answer)).not.toContain('<|');
  });

  it('asks again when the call stands in the reasoning only', async () => {
    const model = scriptedModel([
      {
        reasoning:
          '<|tool_calls_section_begin|><|tool_call_begin|>functions.boats:0<|tool_call_argument_begin|>{"query":"x"}',
      },
      callFinal('none'),
    ]);
    const result = await defineAgent({ model, tools: [boats()] }).run('x');
    expect(result.attempt.observations).toEqual([]);
    expect(result.answer).toBe('none');
  });

  it('ends the run though control tokens stand on every name', async () => {
    const leaky = (name: string, input: Record<string, string>) => ({
      calls: [{ tool: `${name}<|channel|>commentary`, input }],
    });
    const model = scriptedModel([leaky('boats', { query: 'all' }), leaky('final', { answer: '17' })]);
    const result = await defineAgent({ model, tools: [boats()] }).run('x');
    expect(result.answer).toBe('17');
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('commentary');
  });

  it('cuts a control token off a tool name, and tells of it', async () => {
    const model = scriptedModel([
      { calls: [{ tool: 'boats<|channel|>commentary', input: { query: 'all' } }] },
      callFinal('17'),
    ]);
    const handle = defineAgent({ model, tools: [boats()] }).run('x');
    const repairs: string[] = [];
    for await (const event of handle) if (event.type === 'model.repaired') repairs.push(...event.how);
    expect(repairs).toEqual(['tool-name']);
    const result = await handle;
    expect(result.attempt.observations).toMatchObject([{ tool: 'boats', status: 'ok' }]);
  });
});
