// Focus before a dialog opened, to restore it: dialogs opened by state have no trigger that the library could return to.
import { useState } from 'react';

/** A menu entry is removed with its menu; the opener of the menu stays. */
function openerOf(element: Element): Element {
  const menu = element.closest('[role="menu"]');
  const trigger = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return trigger ? openerOf(trigger) : element;
}

/** Element that had the focus when the last dialog opened, with its ancestors. */
let latest: readonly Element[] = [];

/** The element and its ancestors, from the inside out: the row may be removed with its button, the table stays. */
export function placesOf(element: Element | null): readonly Element[] {
  const places: Element[] = [];
  for (let each = element && openerOf(element); each && each !== document.body; each = each.parentElement) places.push(each);
  return places;
}

/** A dialog that follows another one also has the places of that one. */
function placesOfDialog(element: Element | null): readonly Element[] {
  const places = placesOf(element);
  const follows = places.some((each) => each.matches('[role="dialog"]'));
  latest = follows ? [...places, ...latest.filter((each) => !places.includes(each))] : places;
  return latest;
}

/** Time in which the opener may still be removed by what the dialog did, in milliseconds. */
const REMOVAL_MS = 5_000;

const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/** Focuses the first place that is left, unless something has the focus. */
export function focusFirst(places: readonly Element[]): void {
  for (const place of places) if (isFocusLost() && place.isConnected && place instanceof HTMLElement) place.focus();
}

/** Returns focus again when what has it is removed, until the person points at something. */
function watchRemovals(places: readonly Element[]): void {
  // After the present event: while Tab moves the focus, nothing has it, and a tooltip of the left button is removed.
  const observer = new MutationObserver(() => void setTimeout(focusFirst, 0, places));
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
    document.removeEventListener('pointerdown', stop, true);
  };
  const timer = setTimeout(stop, REMOVAL_MS);
  document.addEventListener('pointerdown', stop, true);
  observer.observe(document.body, { childList: true, subtree: true });
}

interface FocusState {
  readonly open: boolean;
  readonly from: readonly Element[];
}

/** The handler for `onCloseAutoFocus`. Focus that has moved elsewhere meanwhile, as to a new page, stays there. */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const [seen, setSeen] = useState<FocusState>({ open: false, from: [] });
  // During rendering: fields inside take focus before any effect runs.
  if (seen.open !== open) setSeen({ open, from: open ? placesOfDialog(document.activeElement) : seen.from });
  return (event) => {
    event.preventDefault();
    focusFirst(seen.from);
    watchRemovals(seen.from);
  };
}
