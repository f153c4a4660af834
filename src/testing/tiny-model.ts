import { writeFileSync } from 'node:fs';
import { ownTemplate } from './tiny-model/chat-template.ts';
import { ggufFile, type MetadataValue } from './tiny-model/gguf.ts';
import { tokenId, vocabulary } from './tiny-model/vocabulary.ts';
import { shape, tinyWeights } from './tiny-model/weights.ts';

export interface TinyModelOptions {
  /** It thinks before it speaks, unless its chat template is told that it should not. Default false. */
  thinks?: boolean;
  /** Instead of its own chat template, which is that of ChatML with tools as Qwen writes them. */
  chatTemplate?: string;
}

/**
 * Writes a complete GGUF file (0.6 MB, architecture qwen3, ChatML with tools) whose weights are written by hand: a stand-in that
 * knows nothing and is no language model. It lets tests run the real loader, tokenizer, chat template, grammar and sampler of
 * llama.cpp. The same bytes on every machine. Under greedy decoding it says `Hello from the tiny test model.`, or
 * `The tool answered.` when a tool has. Offered tools, it first calls the one whose name is first in the alphabet, those with `f`
 * (`final`) last; when a tool has answered and a call is still wanted, those with `f` first. It fills any JSON schema with `"tiny"`, 7
 * and `true`, leaves optional lists and objects out, and closes it.
 */
export function writeTinyModel(file: string, options: TinyModelOptions = {}): void {
  writeFileSync(file, tinyModelBytes(options));
}

/** The bytes of that file. */
export function tinyModelBytes(options: TinyModelOptions = {}): Uint8Array {
  const { thinks = false, chatTemplate = ownTemplate(thinks) } = options;
  return ggufFile(metadataOf(chatTemplate), tinyWeights(thinks));
}

function metadataOf(chatTemplate: string): Map<string, MetadataValue> {
  return new Map<string, MetadataValue>([
    ['general.architecture', { text: 'qwen3' }],
    ['general.name', { text: 'assay-tiny-test-model' }],
    ['general.description', { text: 'A stand-in for tests with weights written by hand. No language model.' }],
    ['general.license', { text: 'mit' }],
    ['general.file_type', { count: 1 }],
    ['general.quantization_version', { count: 2 }],
    ['qwen3.context_length', { count: 32_768 }],
    ['qwen3.embedding_length', { count: shape.width }],
    ['qwen3.block_count', { count: 1 }],
    ['qwen3.feed_forward_length', { count: shape.hidden }],
    ['qwen3.attention.head_count', { count: shape.heads }],
    ['qwen3.attention.head_count_kv', { count: 1 }],
    ['qwen3.attention.key_length', { count: shape.headWidth }],
    ['qwen3.attention.value_length', { count: shape.headWidth }],
    ['qwen3.attention.layer_norm_rms_epsilon', { real: 1e-6 }],
    ['qwen3.rope.freq_base', { real: 1e10 }],
    ['tokenizer.ggml.model', { text: 'gpt2' }],
    ['tokenizer.ggml.pre', { text: 'qwen2' }],
    ['tokenizer.ggml.tokens', { texts: vocabulary.texts }],
    ['tokenizer.ggml.token_type', { integers: vocabulary.kinds }],
    ['tokenizer.ggml.merges', { texts: vocabulary.merges }],
    ['tokenizer.ggml.eos_token_id', { count: tokenId('<|im_end|>') }],
    ['tokenizer.ggml.padding_token_id', { count: tokenId('<|endoftext|>') }],
    ['tokenizer.ggml.bos_token_id', { count: tokenId('<|endoftext|>') }],
    ['tokenizer.ggml.add_bos_token', { flag: false }],
    ['tokenizer.chat_template', { text: chatTemplate }],
  ]);
}
