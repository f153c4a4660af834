import { useEffect, useLayoutEffect, useState } from 'react';

/** Pixels from the end that still count as being there. */
const near = 80;

function isAtEnd(): boolean {
  return window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - near;
}

/**
 * While `isOn`, the page stays at its end as what it shows grows, for whoever went there. `isBehind`: what is newest is out of sight.
 */
export function useFollowsEnd(isOn: boolean, shown: unknown): { isBehind: boolean; toEnd(): void } {
  const [isBehind, setBehind] = useState(false);
  const [isFollowing, setFollowing] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const look = (): void => {
      setBehind(!isAtEnd());
      setFollowing(isAtEnd());
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [isOn]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what is shown that grew
  useLayoutEffect(() => {
    if (!isOn) return;
    if (isFollowing) toEnd();
    else setBehind(!isAtEnd());
  }, [isOn, isFollowing, shown]);
  return { isBehind, toEnd };
}

function toEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
}
