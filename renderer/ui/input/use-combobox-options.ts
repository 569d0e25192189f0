// Options of a combobox for a typed text: filtered here, or requested after a pause in typing.
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { ComboboxOption, ComboboxProps } from './Combobox.tsx';

const PAUSE_MS = 150;
const OFFERED_MAX = 100;

interface Answer {
  readonly query: string;
  readonly options: readonly ComboboxOption[];
  readonly failed: boolean;
}

const fits = (option: ComboboxOption, query: string) => {
  const label = typeof option.label === 'string' ? option.label : '';
  return `${option.value} ${label}`.toLowerCase().includes(query.trim().toLowerCase());
};

/** `query` is undefined while the list is closed: no request is sent then. */
export function useComboboxOptions(options: ComboboxProps['options'], query: string | undefined) {
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const remote = typeof options === 'function';
  // Callers write the function inline: a new one at each render must not send the request again.
  const load = useEffectEvent(async (text: string, signal: AbortSignal) => (remote ? options(text, signal) : options));
  useEffect(() => {
    if (!remote || query === undefined) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      load(query, aborter.signal).then(
        (loaded) => !aborter.signal.aborted && setAnswer({ query, options: loaded, failed: false }),
        () => !aborter.signal.aborted && setAnswer({ query, options: [], failed: true }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [remote, query]);
  const listed = remote ? answer?.options : options;
  const offered = useMemo(() => {
    if (query === undefined) return [];
    const all = listed ?? [];
    return (remote ? all : all.filter((option) => fits(option, query))).slice(0, OFFERED_MAX);
  }, [listed, remote, query]);
  const loading = remote && query !== undefined && answer?.query !== query;
  return { offered, loading, failed: remote && answer?.failed === true };
}
