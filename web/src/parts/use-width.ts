import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in pixels, as it changes. */
export function useWidth<Kind extends HTMLElement>(first: number): [RefObject<Kind | null>, number] {
  const place = useRef<Kind>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
