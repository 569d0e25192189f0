// A question that the address opens with the page, such as `?ask=cancel` from the palette. It is taken out of the address at once.
import { useEffect } from 'react';
import { textParam, useSearchState } from './search-state.ts';

const PARAMS = { ask: textParam };

/** `open` may be called more than once for one question. */
export function useAskParameter(word: string, open: () => void): void {
  const [{ ask }, setSearch] = useSearchState(PARAMS);
  useEffect(() => {
    if (ask !== word) return;
    setSearch({ ask: '' });
    open();
  }, [ask, word, open, setSearch]);
}
