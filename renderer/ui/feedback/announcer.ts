// Announcements for screen readers about changes elsewhere on the page: collected, so that a burst is one sentence.
import { useSyncExternalStore } from 'react';

const QUIET_MS = 250;

let shown = '';
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Announces `text` politely once no other text arrived for 250 ms. Repeats of a waiting text are dropped. */
export function announce(text: string): void {
  if (!waiting.includes(text)) waiting.push(text);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const next = waiting.join('. ');
    waiting = [];
    // Repeating the same text would change nothing, so it would not be announced.
    shown = next === shown ? `${next}\u00A0` : next;
    for (const listener of listeners) listener();
  }, QUIET_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => shown);
}
