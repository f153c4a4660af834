/** Fewer bytes than are usual for a token: what is too much cannot be sent, and what is too little is only shown in two parts. */
const bytesPerToken = 3;

/** A cautious estimate of the tokens of a text of so many UTF-8 bytes, to tell beforehand whether it fits a context. */
export function cautiousTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** The context to reckon with for a small model where nobody knows it. */
export const assumedContext = 8_192;

/** Tokens of a reply at most: a small model that says more has begun to repeat itself. */
export const longestSmallReply = 2_048;
