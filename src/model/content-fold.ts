import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A sign of life for what is not shown: hidden reasoning, and the arguments of a call. `chars` counts from its start. */
export interface Progress {
  type: 'reasoning' | 'tool-input';
  tool?: string;
  chars: number;
}

type Block = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>;
type BlockPart = Extract<LanguageModelV4StreamPart, { type: `${Block['type']}-${'start' | 'delta' | 'end'}` }>;
type InputPart = Extract<LanguageModelV4StreamPart, { type: `tool-input-${'start' | 'delta' | 'end'}` }>;

/** False for files and sources, and for a vendor's own parts: they report on the call rather than answer it. */
export function isKept(part: LanguageModelV4Content): boolean {
  return part.type !== 'file' && part.type !== 'source' && part.type !== 'custom';
}

/**
 * Folds stream parts into the content `doGenerate` would give: blocks in the order they began, each with the provider
 * metadata that came last for it. What `isKept` refuses is left out, and so is an empty text that carries no metadata.
 */
export class ContentFold {
  readonly #onDelta: ((text: string) => void) | undefined;
  readonly #onProgress: ((info: Progress) => void) | undefined;
  readonly #content: LanguageModelV4Content[] = [];
  /** By type and id: a provider may use an id again once its block has ended. */
  readonly #blocks = new Map<string, Block>();
  readonly #inputs = new Map<string, { tool: string; chars: number }>();

  constructor(handlers: { onDelta?(text: string): void; onProgress?(info: Progress): void }) {
    this.#onDelta = handlers.onDelta?.bind(handlers);
    this.#onProgress = handlers.onProgress?.bind(handlers);
  }

  /** The tool of a call whose input has begun and not ended. */
  get openCall(): string | undefined {
    return this.#inputs.values().next().value?.tool;
  }

  content(): LanguageModelV4Content[] {
    return this.#content.filter((part) => part.type !== 'text' || part.text !== '' || part.providerMetadata);
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#addToBlock(part);
        return;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
        this.#noteInput(part);
        return;
      case 'tool-call':
        this.#inputs.delete(part.toolCallId);
        this.#content.push(part);
        return;
      case 'tool-result':
      case 'tool-approval-request':
      case 'reasoning-file':
        this.#content.push(part);
        return;
    }
  }

  #addToBlock(part: BlockPart): void {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning';
    const key = `${type} ${part.id}`;
    const starts = part.type === 'text-start' || part.type === 'reasoning-start';
    const block = (!starts && this.#blocks.get(key)) || this.#open(type, key);
    if (part.providerMetadata) block.providerMetadata = part.providerMetadata;
    if (part.type === 'text-end' && part.citations && block.type === 'text') block.citations = part.citations;
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return;
    block.text += part.delta;
    if (part.delta === '') return;
    if (type === 'text') this.#onDelta?.(part.delta);
    else this.#onProgress?.({ type, chars: block.text.length });
  }

  #open(type: Block['type'], key: string): Block {
    const block: Block = { type, text: '' };
    this.#blocks.set(key, block);
    this.#content.push(block);
    return block;
  }

  #noteInput(part: InputPart): void {
    if (part.type === 'tool-input-start') this.#inputs.set(part.id, { tool: part.toolName, chars: 0 });
    if (part.type === 'tool-input-end') this.#inputs.delete(part.id);
    const input = this.#inputs.get(part.id);
    if (!input) return;
    if (part.type === 'tool-input-delta') input.chars += part.delta.length;
    this.#onProgress?.({ type: 'tool-input', tool: input.tool, chars: input.chars });
  }
}
