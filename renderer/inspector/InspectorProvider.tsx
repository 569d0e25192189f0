// Keeps the inspector's object in the address. Opening adds an entry to the browser's history, so that Back closes it.
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMemo, useRef, type ReactNode } from 'react';
import { PEEK } from '../navigation/search-state.ts';
import type { SearchValues } from '../navigation/search-text.ts';
import { InspectorControlsContext, InspectorStateContext, type InspectorControls, type InspectorState } from './inspector-context.ts';
import { parsePeek, peekText } from './peek.ts';

/** In the entry's state: whether opening made the entry, and whether the inspector takes the focus. */
interface PeekEntry {
  readonly peekPushed?: boolean;
  readonly peekFocus?: boolean;
}

/** The text of the parameter; a duplicate parameter is ignored. */
const peekIn = (search: unknown): string => {
  const { [PEEK]: peek } = search as SearchValues;
  return typeof peek === 'string' ? peek : '';
};

export function InspectorProvider({ children }: { readonly children: ReactNode }) {
  const router = useRouter();
  const text = useRouterState({ select: ({ location }) => peekIn(location.search) });
  const focus = useRouterState({ select: ({ location }) => (location.state as PeekEntry).peekFocus !== false });
  const state = useMemo<InspectorState>(() => ({ peek: parsePeek(text), focus }), [text, focus]);
  const opener = useRef<Element>(null);
  const controls = useMemo<InspectorControls>(() => {
    const change = (peek: string | undefined, entry: PeekEntry, replace: boolean) => {
      const search = ({ [PEEK]: _before, ...others }: SearchValues) => (peek === undefined ? others : { ...others, [PEEK]: peek });
      const options = { to: '.', search, state: entry, replace, resetScroll: false };
      void router.navigate(options as Parameters<typeof router.navigate>[0]);
    };
    const entryNow = () => router.latestLocation.state as PeekEntry;
    const isOpen = () => parsePeek(peekIn(router.latestLocation.search)) !== undefined;
    return {
      open: (object, { tab = 'overview', focus: takes = true } = {}) => {
        const open = isOpen();
        // The panel with the link is hidden before the inspector is shown, and takes the focus along.
        if (!open) opener.current = document.activeElement;
        change(peekText(object, tab), { peekPushed: open ? entryNow().peekPushed === true : true, peekFocus: takes }, open);
      },
      close: () => {
        if (!isOpen()) return;
        if (entryNow().peekPushed === true) window.history.back();
        else change(undefined, {}, true);
      },
      opener: () => opener.current,
    };
  }, [router]);
  return (
    <InspectorControlsContext value={controls}>
      <InspectorStateContext value={state}>{children}</InspectorStateContext>
    </InspectorControlsContext>
  );
}
