// The person's format of times. The app sets it from their preferences; Time components follow.
import { Store, useStore } from '../store.ts';

export type TimeMode = 'relative' | 'local' | 'utc';

const mode = new Store<TimeMode>('relative');

export function setTimeMode(next: TimeMode): void {
  if (next === mode.get()) return;
  // The style sheet gives times their room by it.
  document.documentElement.dataset['times'] = next;
  mode.set(next);
}

export function useTimeMode(): TimeMode {
  return useStore(mode);
}
