// Whether there is room for the queue beside what is open.
import { useSyncExternalStore } from 'react';

const QUERY = '(min-width: 768px)';

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(QUERY);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(QUERY).matches);
}
