// Interface of the kit's links to the router, which the kit does not import.
import { withBase } from './base-path.ts';
import { createContext, useContext, type MouseEvent } from 'react';

/** An entry of the browser's history. */
export interface HistoryEntry {
  /** Unique among all entries, and stable when Back or Forward returns to it. */
  readonly key: string;
  readonly pathname: string;
}

export interface Navigation {
  /** Goes to an address of the console, `/n/default/tasks?phase=Failed`. */
  readonly go: (href: string, options?: { readonly replace?: boolean }) => void;
  /** Preloads the code of a page. */
  readonly preload?: (href: string) => void;
  /** The current entry, or the one being navigated to. */
  readonly entry?: () => HistoryEntry;
}

export const NavigationContext = createContext<Navigation>({
  go: (href) => window.location.assign(withBase(href)),
});

/** `go(href)` for navigation without a link, such as Enter on a row. */
export function useNavigation(): Navigation {
  return useContext(NavigationContext);
}

/** Whether the click belongs to the browser: new tab, new window, download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;
}
