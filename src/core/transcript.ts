import { hash } from 'node:crypto';
import type { LanguageModelV4Message } from '@ai-sdk/provider';

/**
 * The messages of one conversation with a running fingerprint.
 *
 * 1. Append-only: a transcript is replaced by a longer one, messages are never changed (invariant 12).
 * 2. `fingerprint` chains over the messages, so appending costs the new messages only, however long the history.
 */
export interface Transcript {
  messages: LanguageModelV4Message[];
  /** Characters of all messages as JSON. */
  chars: number;
  fingerprint: string;
}

const empty: Transcript = { messages: [], chars: 0, fingerprint: '' };

/** The transcript with the messages added. */
export function append(transcript: Transcript, ...messages: LanguageModelV4Message[]): Transcript {
  const added = JSON.stringify(messages);
  return {
    messages: [...transcript.messages, ...messages],
    chars: transcript.chars + added.length,
    fingerprint: hash('sha256', transcript.fingerprint + added, 'base64url'),
  };
}

/** A new transcript that holds these messages. */
export function transcriptOf(...messages: LanguageModelV4Message[]): Transcript {
  return append(empty, ...messages);
}

/** A user message of one text. */
export function userMessage(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}
