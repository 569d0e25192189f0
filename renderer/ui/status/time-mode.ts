// The person's format of times. The app sets it from their preferences; Time components follow.
import { useSyncExternalStore } from 'react';

export type TimeMode = 'relative' | 'local' | 'utc';

let mode: TimeMode = 'relative';
const listeners = new Set<() => void>();

export function setTimeMode(next: TimeMode): void {
  if (next === mode) return;
  mode = next;
  // The style sheet gives times their room by it.
  document.documentElement.dataset['times'] = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTimeMode(): TimeMode {
  return useSyncExternalStore(subscribe, () => mode);
}
