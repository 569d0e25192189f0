// Focus before a dialog opened, to restore it: dialogs opened by state have no trigger that the library could return to.
import { useState } from 'react';

/** A menu entry is removed with its menu; the opener of the menu stays. */
function openerOf(element: Element): Element {
  const menu = element.closest('[role="menu"]');
  const trigger = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return trigger ? openerOf(trigger) : element;
}

/** Those of the last opened dialog. */
let latest: readonly Element[] = [];

/**
 * The element and its ancestors, from the inside out: the row may be removed with its button, the table stays. A dialog that follows
 * another one also has the places of that one.
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

/** The handler for `onCloseAutoFocus`. Focus that has moved elsewhere meanwhile, as to a new page, stays there. */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const [seen, setSeen] = useState<Seen>({ open: false, from: [] });
  // During rendering: fields inside take focus before any effect runs.
  if (seen.open !== open) setSeen({ open, from: open ? placesOf(document.activeElement) : seen.from });
  return (event) => {
    event.preventDefault();
    const isLost = () => document.activeElement === null || document.activeElement === document.body;
    for (const place of seen.from) if (isLost() && place.isConnected && place instanceof HTMLElement) place.focus();
  };
}
