import type { ReactNode } from 'react';

/** A text of the page in which what stands between backticks is to be typed. */
export function WithCode({ text }: { text: string }): ReactNode {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
      <code key={place}>{part}</code>
    ),
  );
}
