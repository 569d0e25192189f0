// The title of the browser's tab: the page, and the number of pending approvals.
import { useEffect } from 'react';
import { Store, useStore } from '../ui/store.ts';

const PRODUCT = 'Agent Orchestration Service';

/** Title set by the page, and the one that the shell sets for other pages. */
let own = '';
let fallback = '';
let waiting = 0;
const shown = new Store('');

/** `(3) nightly · Tasks · Agent Orchestration Service`. Pure. */
export function titleOf(name: string, pending: number): string {
  const title = name === '' ? PRODUCT : `${name} · ${PRODUCT}`;
  return pending > 0 ? `(${pending > 99 ? '99+' : pending}) ${title}` : title;
}

function show(): void {
  shown.set(own || fallback);
  document.title = titleOf(shown.get(), waiting);
}

/** Called by the shell. */
export function setPendingInTitle(count: number): void {
  waiting = count;
  show();
}

/** Called by the shell: the object, list or area that the address belongs to. */
export function setFallbackTitle(title: string): void {
  fallback = title;
  show();
}

/** Called by a page whose address does not name its content, most specific part first: `The run · First steps`. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    own = title;
    show();
    return () => {
      // The next page has not set a title yet.
      if (own === title) own = '';
      show();
    };
  }, [title]);
}

/** Title of the shown page, for announcing a change of page. */
export function useCurrentTitle(): string {
  return useStore(shown);
}
