// How links of the kit reach the router, which the kit itself does not know.
import { createContext, useContext, type MouseEvent } from 'react';

/** An entry of the browser's history. */
export interface HistoryEntry {
  /** Its own among all entries, and the same when Back or Forward returns to it. */
  readonly key: string;
  readonly pathname: string;
}

export interface Navigation {
  /** Goes to an address of the console, `/n/default/tasks?phase=Failed`. */
  readonly go: (href: string, options?: { readonly replace?: boolean }) => void;
  /** Loads the code of a page before it is asked for. */
  readonly preload?: (href: string) => void;
  /** The entry that is shown, or on its way. */
  readonly entry?: () => HistoryEntry;
}

export const NavigationContext = createContext<Navigation>({
  go: (href) => window.location.assign(href),
});

/** `go(href)` for what navigates without being a link, such as Enter on a row. */
export function useNavigation(): Navigation {
  return useContext(NavigationContext);
}

/** Whether the browser should do with this click what it always does: new tab, new window, download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;
}
