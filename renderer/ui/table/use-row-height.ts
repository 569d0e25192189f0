// The height of a row in px at the current density, which virtual lists need beforehand.
import { useSyncExternalStore } from 'react';

const HEIGHTS = { comfortable: 36, compact: 28 } as const;

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}

/** Follows `html[data-density]`; theme.css has the same numbers as --row-height. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () =>
    document.documentElement.dataset.density === 'compact' ? HEIGHTS.compact : HEIGHTS.comfortable,
  );
}
