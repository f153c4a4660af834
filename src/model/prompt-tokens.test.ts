import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { append, seal, transcriptOf, userMessage } from '../core/transcript.ts';
import { promptTokens, rememberCount } from './prompt-tokens.ts';
import { estimateTokens } from './token-count.ts';

const system: LanguageModelV4Message = { role: 'system', content: 'Answer in one word.' };
const word = 'merchandise ';

describe('the tokens of a prompt', () => {
  it('are estimated from what is written in it, not from its notation, before anybody counted', () => {
    const text = word.repeat(100);
    const tokens = promptTokens(seal(transcriptOf(system, userMessage(text))));
    expect(tokens).toBe(estimateTokens(text) + estimateTokens('Answer in one word.') + 8);
    const parts: LanguageModelV4Message[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { query: text } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: text } },
          { type: 'tool-result', toolCallId: 'd', toolName: 'look', output: { type: 'json', value: [text] } },
        ],
      },
    ];
    const more = promptTokens(seal(transcriptOf(system, userMessage(text), ...parts)));
    expect(more).toBeGreaterThan(5 * estimateTokens(text));
    expect(more).toBeLessThan(5 * estimateTokens(text) + 60);
  });

  it('count the tools, each list once', () => {
    const transcript = seal(transcriptOf(system));
    const tools = [{ type: 'function' as const, name: 'look', description: word.repeat(50), inputSchema: {} }];
    expect(promptTokens(transcript, tools) - promptTokens(transcript)).toBeGreaterThan(50);
  });

  it('are what the provider counted, and an estimate for what is new', () => {
    const first = seal(transcriptOf(system, userMessage('How many?')));
    rememberCount(first, 5_000);
    const next = seal(
      append(first, { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] }, userMessage('Sure?')),
    );
    expect(promptTokens(next)).toBeGreaterThan(5_000);
    expect(promptTokens(next)).toBeLessThan(5_100);
    const long = word.repeat(1_000);
    const grown = seal(append(first, userMessage(long)));
    expect(promptTokens(grown)).toBe(5_000 + 4 + estimateTokens(long));
  });

  it('are not those of another conversation', () => {
    const first = seal(transcriptOf(system, userMessage('one')));
    rememberCount(first, 5_000);
    expect(promptTokens(seal(transcriptOf(system, userMessage('one'))))).toBeLessThan(100);
  });
});
