// Announcements for screen readers about changes elsewhere on the page: collected, so that a burst is one sentence.
import { Store, useStore } from '../store.ts';

const QUIET_MS = 250;

const shown = new Store('');
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Announces `text` politely once no other text arrived for 250 ms. Repeats of a waiting text are dropped. */
export function announce(text: string): void {
  if (!waiting.includes(text)) waiting.push(text);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const next = waiting.join('. ');
    waiting = [];
    // Repeating the same text would change nothing, so it would not be announced.
    shown.set(next === shown.get() ? `${next}\u00A0` : next);
  }, QUIET_MS);
}

export function useAnnouncement(): string {
  return useStore(shown);
}
