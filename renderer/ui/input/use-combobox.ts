// Behaviour of a combobox: its text, its options, and its keys.
import { useEffect, useEffectEvent, useState, type KeyboardEvent } from 'react';
import type { ComboboxProps } from './Combobox.tsx';
import { useComboboxOptions } from './use-combobox-options.ts';

export function useCombobox({
  value,
  onChange,
  options,
  allowCustom,
}: Pick<ComboboxProps, 'value' | 'onChange' | 'options' | 'allowCustom'>) {
  /** Text typed since it was opened; undefined while it is closed. */
  const [query, setQuery] = useState<string | undefined>(undefined);
  /** Row that the person moved to. */
  const [moved, setActive] = useState<number | undefined>(undefined);
  /** Enter was pressed while the options for the text loaded. */
  const [choosesNext, setChoosesNext] = useState(false);
  const open = query !== undefined;
  // Opened with a value, it offers all options: the person came to choose another. Enter at once keeps the value.
  const searched = query === value ? '' : query;
  const { offered, loading, failed } = useComboboxOptions(options, searched);
  const start = searched === query ? 0 : offered.findIndex((option) => option.value === value);
  /** -1: none, the value is not on offer. */
  const active = Math.min(moved ?? start, Math.max(0, offered.length - 1));
  const write = (text: string | undefined) => {
    setQuery(text);
    setActive(undefined);
    setChoosesNext(false);
  };
  const choose = (next: string) => {
    onChange(next);
    write(undefined);
  };
  const enter = () => {
    if (query === value && value !== '' && moved === undefined) return write(undefined);
    // The first option listed while others load is that of an earlier text.
    const option = loading && moved === undefined ? undefined : offered[active];
    if (option) choose(option.value);
    else if (allowCustom) choose(query ?? value);
    else setChoosesNext(loading);
  };
  const chooseActive = useEffectEvent(() => {
    setChoosesNext(false);
    const option = offered[active];
    if (option) choose(option.value);
  });
  useEffect(() => {
    if (choosesNext && !loading) chooseActive();
  }, [choosesNext, loading]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChoosesNext(false);
      if (open) setActive(Math.max(0, active + step));
      else write(value);
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      enter();
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation();
      write(undefined);
    }
  };
  const leave = () => {
    if (open && allowCustom && query !== value) onChange(query);
    write(undefined);
  };
  const show = () => {
    if (!open) write(value);
  };
  return { text: query ?? value, open, offered, active, loading, failed, write, choose, setActive, onKeyDown, leave, show };
}
