import type { ReactNode } from 'react';

/** What is too wide for the page scrolls in a frame of its own, which is reached by keyboard for that. */
export function ScrollFrame({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields, and a landmark of the same name stands around it
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling needs the focus
    <div className="scroll-x" role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
