import { describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import {
  HindsightRow,
  OpenAiChat,
  OpenAiPreference,
  TrlChat,
  TrlPreference,
  TrlPromptCompletion,
  TrlTextPreference,
} from './shapes.ts';

const user = { role: 'user', content: 'Open the gate of the north yard.' };
const done = { role: 'assistant', content: 'The gate is open.' };
const parameters = { type: 'object', properties: { yard: { type: 'string' } }, required: ['yard'] };
const tools = [{ type: 'function', function: { name: 'open_gate', description: 'Opens a gate.', parameters } }];
const openAiCall = { id: 'call_1', type: 'function', function: { name: 'open_gate', arguments: '{"yard":"north"}' } };
const trlCall = { type: 'function', function: { name: 'open_gate', arguments: { yard: 'north' } } };
const openAiResult = { role: 'tool', tool_call_id: 'call_1', content: 'opened' };

// The examples of the documentation with other words in them.
const documented: [string, ZodType, object][] = [
  ['an OpenAI chat', OpenAiChat, { messages: [{ role: 'system', content: 'Be brief.' }, user, done] }],
  [
    'an OpenAI chat of several turns with weights',
    OpenAiChat,
    {
      messages: [
        user,
        { ...done, weight: 0 },
        { role: 'user', content: 'And the south yard?' },
        { ...done, weight: 1 },
      ],
    },
  ],
  [
    'an OpenAI chat that ends with a call',
    OpenAiChat,
    { messages: [user, { role: 'assistant', tool_calls: [openAiCall] }], parallel_tool_calls: false, tools },
  ],
  [
    'an OpenAI chat with a result',
    OpenAiChat,
    { messages: [user, { role: 'assistant', tool_calls: [openAiCall] }, openAiResult, done], tools },
  ],
  [
    'an OpenAI preference',
    OpenAiPreference,
    {
      input: { messages: [user], tools: [], parallel_tool_calls: true },
      preferred_output: [done],
      non_preferred_output: [{ role: 'assistant', content: 'No.' }],
    },
  ],
  ['a TRL conversation', TrlChat, { messages: [user, done] }],
  [
    'a TRL conversation with tools',
    TrlChat,
    {
      messages: [
        user,
        { role: 'assistant', tool_calls: [trlCall] },
        { role: 'tool', name: 'open_gate', content: 'opened' },
        done,
      ],
      tools,
    },
  ],
  ['a TRL prompt with its completion', TrlPromptCompletion, { prompt: [user], completion: [done] }],
  [
    'a TRL preference',
    TrlPreference,
    { prompt: [user], chosen: [done], rejected: [{ role: 'assistant', content: 'No.' }] },
  ],
  ['a TRL preference of texts', TrlTextPreference, { prompt: 'The gate is', chosen: ' open.', rejected: ' blue.' }],
];

const broken: [string, ZodType, object][] = [
  ['a conversation that ends with the user', OpenAiChat, { messages: [user, done, user] }],
  ['a conversation in which nothing is learnt', OpenAiChat, { messages: [user, { ...done, weight: 0 }] }],
  ['a weight between 0 and 1', OpenAiChat, { messages: [user, { ...done, weight: 0.5 }] }],
  ['an assistant that neither says nor calls anything', OpenAiChat, { messages: [user, { role: 'assistant' }] }],
  [
    'a call without a result',
    OpenAiChat,
    { messages: [user, { role: 'assistant', tool_calls: [openAiCall] }, user, done] },
  ],
  ['a result without a call', OpenAiChat, { messages: [user, openAiResult, done] }],
  [
    'arguments that are no JSON object',
    OpenAiChat,
    {
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ ...openAiCall, function: { name: 'open_gate', arguments: '[1]' } }] },
      ],
    },
  ],
  [
    'a function name with a dot',
    OpenAiChat,
    {
      messages: [user, done],
      tools: [{ type: 'function', function: { name: 'gate.open', parameters } }],
    },
  ],
  ['a field that is not documented', OpenAiChat, { messages: [user, done], runs: ['r1'] }],
  [
    'a TRL call whose arguments are a text',
    TrlChat,
    { messages: [user, { role: 'assistant', tool_calls: [openAiCall] }] },
  ],
  [
    'a preference of two messages',
    OpenAiPreference,
    {
      input: { messages: [user], tools: [], parallel_tool_calls: true },
      preferred_output: [done, done],
      non_preferred_output: [done],
    },
  ],
  ['a preference without a prompt', TrlPreference, { chosen: [done], rejected: [done] }],
  ['an empty answer', TrlTextPreference, { prompt: 'The gate is', chosen: '', rejected: ' blue.' }],
  ['a chain in which nothing is learnt', HindsightRow, { segments: Array(4).fill({ text: 'a', loss: false }) }],
];

describe('the documented shapes', () => {
  it.each(documented)('take %s', (_what, schema, row) => {
    expect(schema.parse(row)).toEqual(row);
  });

  it.each(broken)('refuse %s', (_what, schema, row) => {
    expect(schema.safeParse(row).success).toBe(false);
  });
});
