// The height of a row in px at the density of this moment, which virtual lists have to know beforehand.
import { useSyncExternalStore } from 'react';

const HEIGHTS = { comfortable: 36, compact: 28 } as const;

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}

/** Follows `html[data-density]`; the same numbers stand in theme.css as --row-height. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () =>
    document.documentElement.dataset.density === 'compact' ? HEIGHTS.compact : HEIGHTS.comfortable,
  );
}
