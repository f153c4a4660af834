import type { EventBody } from '../core/event.ts';
import type { Style } from './style.ts';

/** One row of the timeline, not yet wrapped. Texts are clean. */
export interface Row {
  /** Stands in the left column; empty for a row that belongs to the one above. */
  label: string;
  text: string;
  tone?: keyof Style;
  /** Cut to one line instead of wrapped. */
  short?: boolean;
  /** Columns the text is moved to the right. */
  indent?: number;
}

/** The event of this type. */
export type EventOf<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;
