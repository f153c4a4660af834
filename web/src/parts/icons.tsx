import type { ReactNode } from 'react';

/** Line drawings on a field of 16 by 16, in the colour of the text. Each stands beside a word or in a button that has a name. */
const drawings = {
  chevron: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M6 5.5V3h7v7.5h-2.5M3 5.5h7.5V13H3z',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  sliders: 'M2 5h6m4 0h2M2 11h2m4 0h6M10 3v4M6 9v4',
  down: 'M8 3v10m-4-4 4 4 4-4',
  run: 'M5 3.5v9l7-4.5z',
  plan: 'M3 4h1m3 0h6M3 8h1m3 0h6M3 12h1m3 0h6',
  turn: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8',
  model: 'M8 2.5 9.5 6.5 13.5 8 9.5 9.5 8 13.5 6.5 9.5 2.5 8 6.5 6.5z',
  tool: 'M9.5 6.5 13 3a3.5 3.5 0 0 1-4.6 4.6L4 12.9 3 12l5.4-4.4A3.5 3.5 0 0 1 13 3',
  check: 'M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4zM5.8 8l1.6 1.6 2.9-3.1',
  lesson: 'M3 3h4.2c.5 0 .8.4.8.8V13c0-.6-.5-1-1-1H3zm10 0H8.8c-.5 0-.8.4-.8.8V13c0-.6.5-1 1-1h4z',
  answer: 'M4 2.5h5.5L12 5v8.5H4zM6 7h4M6 10h4',
  approval:
    'M5.5 8V3.8a1 1 0 0 1 2 0V7m0-3.9a1 1 0 0 1 2 0V7m0-2.5a1 1 0 0 1 2 0V10a3.5 3.5 0 0 1-3.5 3.5c-2 0-2.8-.8-4.4-3.6-.5-.9.6-1.7 1.3-1z',
  tree: 'M3 8h3m0 0 3-4h4M6 8h7M6 8l3 4h4',
  budget: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-8.5V8l2 1.5',
  other: 'M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  note: 'M8 2.5 14 13H2zM8 6.5v3m0 1.7v.3',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
