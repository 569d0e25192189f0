// Where focus was before a dialog opened, to give it back: dialogs that are opened by state have no trigger that the library could return to.
import { useState } from 'react';

/** An entry of a menu is gone with its menu; what opened the menu stays. */
function openerOf(element: Element): Element {
  const menu = element.closest('[role="menu"]');
  const trigger = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return trigger ? openerOf(trigger) : element;
}

/** Those of the dialog that was opened last. */
let latest: readonly Element[] = [];

/**
 * The element and what it stands in, from the inside out: the row may be gone with its button, the table is there.
 * A dialog that follows another one has the places of that one too.
 */
function placesOf(element: Element | null): readonly Element[] {
  const places: Element[] = [];
  for (let each = element && openerOf(element); each && each !== document.body; each = each.parentElement) places.push(each);
  const follows = places.some((each) => each.matches('[role="dialog"]'));
  latest = follows ? [...places, ...latest.filter((each) => !places.includes(each))] : places;
  return latest;
}

interface Seen {
  readonly open: boolean;
  readonly from: readonly Element[];
}

/** The handler for `onCloseAutoFocus`. Focus that has gone somewhere else meanwhile, as to a new page, stays there. */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const [seen, setSeen] = useState<Seen>({ open: false, from: [] });
  // While rendering: fields inside take focus before any effect runs.
  if (seen.open !== open) setSeen({ open, from: open ? placesOf(document.activeElement) : seen.from });
  return (event) => {
    event.preventDefault();
    const isLost = () => document.activeElement === null || document.activeElement === document.body;
    for (const place of seen.from) if (isLost() && place.isConnected && place instanceof HTMLElement) place.focus();
  };
}
