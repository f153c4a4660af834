import { randomUUID } from 'node:crypto';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { LLamaChatGenerateResponseOptions } from 'node-llama-cpp';

type Emit = (part: LanguageModelV4StreamPart) => void;
type ResponseChunk = Parameters<NonNullable<LLamaChatGenerateResponseOptions['onResponseChunk']>>[0];

/**
 * Turns what is generated into the parts of one reply, each block begun before its text and ended behind it. Blanks around a text and
 * behind the arguments of a call are left out: they come from the chat format and from the end of a grammar. So blanks are held back
 * until more follows.
 */
export class ReplyWriter {
  readonly #emit: Emit;
  #open: { type: 'text' | 'reasoning'; id: string; held: string } | undefined;
  #blocks = 0;
  #call: { id: string; name: string; held: string } | undefined;
  #reasoningTokens = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  chunk(chunk: ResponseChunk): void {
    if (chunk.type === undefined) this.text(chunk.text);
    else {
      this.#reasoningTokens += chunk.tokens.length;
      this.#add('reasoning', chunk.text);
      if (chunk.segmentEndTime) this.#close();
    }
  }

  text(delta: string): void {
    this.#add('text', delta);
  }

  /** A piece of a call's arguments. */
  callInput(name: string, delta: string): void {
    const call = this.#openCall(name);
    const shown = released(call, delta);
    if (shown !== '') this.#emit({ type: 'tool-input-delta', id: call.id, delta: shown });
  }

  /** The whole call. */
  call(name: string, input: string): void {
    const wasTold = this.#call !== undefined;
    const { id } = this.#openCall(name);
    if (!wasTold) this.#emit({ type: 'tool-input-delta', id, delta: input });
    this.end();
    this.#emit({ type: 'tool-call', toolCallId: id, toolName: name, input });
  }

  /** Ends what is open, also a call that was cut off. */
  end(): void {
    this.#close();
    if (this.#call) this.#emit({ type: 'tool-input-end', id: this.#call.id });
    this.#call = undefined;
  }

  #add(type: 'text' | 'reasoning', delta: string): void {
    if (this.#open?.type !== type) {
      if (delta.trim() === '') return;
      this.#close();
      this.#open = { type, id: `${type}-${this.#blocks++}`, held: '' };
      this.#emit({ type: `${type}-start`, id: this.#open.id });
      this.#show(this.#open, delta.trimStart());
    } else this.#show(this.#open, delta);
  }

  #show(block: { type: 'text' | 'reasoning'; id: string; held: string }, delta: string): void {
    const shown = released(block, delta);
    if (shown !== '') this.#emit({ type: `${block.type}-delta`, id: block.id, delta: shown });
  }

  #close(): void {
    if (this.#open) this.#emit({ type: `${this.#open.type}-end`, id: this.#open.id });
    this.#open = undefined;
  }

  #openCall(name: string): { id: string; name: string; held: string } {
    this.#close();
    if (!this.#call) {
      this.#call = { id: `call_${randomUUID().replaceAll('-', '')}`, name, held: '' };
      this.#emit({ type: 'tool-input-start', id: this.#call.id, toolName: name });
    }
    return this.#call;
  }
}

/** The text up to its last blanks, which are held for the next time. */
function released(block: { held: string }, delta: string): string {
  const text = block.held + delta;
  const shown = text.trimEnd();
  block.held = text.slice(shown.length);
  return shown;
}
