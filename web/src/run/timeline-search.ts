/** What the address of a timeline says. It stands alone, since the first view has to know addresses and not timelines. */
export const shownKinds = ['work', 'judgement', 'trouble'] as const;
export type ShownKind = (typeof shownKinds)[number];

export interface TimelineFilter {
  /** Nothing: all. */
  show?: ShownKind;
  find?: string;
}

export function timelineFilterOf(given: Record<string, unknown>): TimelineFilter {
  const show = shownKinds.find((kind) => kind === given['show']);
  const find = given['find'];
  return { ...(show && { show }), ...(typeof find === 'string' && find !== '' && { find }) };
}
