import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { ReadProgress } from './local-engine.ts';

/** How long a piece may take: what an abort has to wait for. */
const pieceMs = 200;
const smallestPiece = 16;
/** What llama.cpp evaluates at once. */
const largestPiece = 512;

export interface Reading {
  signal: AbortSignal | undefined;
  onProgress?: ((progress: ReadProgress) => void) | undefined;
}

/**
 * Brings the sequence to the prompt, all but its last token, and gives how many tokens were there already. node-llama-cpp looks at a
 * signal only when it has read the whole prompt, which takes a minute on a small machine. So the prompt is read in pieces, as large as
 * the machine reads in the time an abort may take.
 */
export async function readPrompt(
  sequence: LlamaContextSequence,
  prompt: Token[],
  { signal, onProgress }: Reading,
): Promise<number> {
  await sequence.adaptStateToTokens(prompt, false);
  const end = prompt.length - 1;
  const cached = Math.min(sequence.nextTokenIndex, end);
  onProgress?.({ read: cached, total: prompt.length });
  let piece = smallestPiece;
  for (let read = cached; read < end; ) {
    signal?.throwIfAborted();
    const until = Math.min(end, read + piece);
    const from = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(read, until));
    const perToken = (performance.now() - from) / (until - read);
    piece = Math.min(largestPiece, Math.max(smallestPiece, Math.floor(pieceMs / perToken)));
    read = until;
    onProgress?.({ read, total: prompt.length });
  }
  return cached;
}
