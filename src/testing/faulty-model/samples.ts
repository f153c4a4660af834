/** Which sample of a prompt a call is. The calls of a sample carry its number in their ids, so that its later turns tell who they are. */
import { hash } from 'node:crypto';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

const tagged = /~(\d+)$/;

/** What a call id ends with; nothing where nothing is sampled. */
export function sampleTag(sample: number | undefined): string {
  return sample === undefined ? '' : `~${sample}`;
}

/** Numbers samples from 0: by the prompt itself, by what the caller counted, else by how often the prompt came. Undefined for other calls. */
export function sampleNumbers(): (options: LanguageModelV4CallOptions) => number | undefined {
  const asked = new Map<string, number>();
  return (options) => {
    if (!options.temperature) return undefined;
    const given = tagIn(options) ?? options.providerOptions?.['assay']?.['sample'];
    if (typeof given === 'number') return given;
    const prompt = hash('sha256', JSON.stringify(options.prompt));
    const count = asked.get(prompt) ?? 0;
    asked.set(prompt, count + 1);
    return count;
  };
}

function tagIn({ prompt }: LanguageModelV4CallOptions): number | undefined {
  for (const message of prompt) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      const tag = part.type === 'tool-call' ? tagged.exec(part.toolCallId)?.[1] : undefined;
      if (tag !== undefined) return Number(tag);
    }
  }
  return undefined;
}
