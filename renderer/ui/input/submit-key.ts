// Ctrl-Enter (on a Mac, Command-Enter): it submits forms and dialogs from every field, including those where Enter starts a new line.
import type { KeyboardEvent } from 'react';

/** True for a press that nothing inside has handled; from then on it is handled. */
export function takesSubmitKey(event: KeyboardEvent<HTMLElement>): boolean {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return false;
  // A dialog that a part of this place has opened is another place.
  if (!event.currentTarget.contains(event.target as Node)) return false;
  event.preventDefault();
  return true;
}
