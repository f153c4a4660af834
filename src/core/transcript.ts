import { hash } from 'node:crypto';
import type { LanguageModelV4Message } from '@ai-sdk/provider';

/**
 * The messages of one conversation with a running fingerprint.
 *
 * 1. Append-only: a transcript is replaced by a longer one, messages are never changed (invariant 12).
 * 2. `fingerprint` and `bytes` cover the first `sealed` messages; `seal` brings them up to date and costs the new messages only,
 *    however long the history. Fingerprints of equal histories are equal when they were sealed at the same lengths, as the same
 *    code does it on replay.
 */
export interface Transcript {
  messages: LanguageModelV4Message[];
  /** UTF-8 bytes of the sealed messages as JSON. */
  bytes: number;
  fingerprint: string;
  sealed: number;
}

const empty: Transcript = { messages: [], bytes: 0, fingerprint: '', sealed: 0 };

/** The transcript with the messages added. */
export function append(transcript: Transcript, ...messages: LanguageModelV4Message[]): Transcript {
  const { bytes, fingerprint, sealed } = transcript;
  return { messages: [...transcript.messages, ...messages], bytes, fingerprint, sealed };
}

/** The same transcript with a fingerprint over all of its messages. */
export function seal(transcript: Transcript): Transcript {
  const { messages, sealed } = transcript;
  if (sealed === messages.length) return transcript;
  const text = JSON.stringify(messages.slice(sealed));
  return {
    messages,
    bytes: transcript.bytes + Buffer.byteLength(text),
    fingerprint: hash('sha256', transcript.fingerprint + text, 'base64url'),
    sealed: messages.length,
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
