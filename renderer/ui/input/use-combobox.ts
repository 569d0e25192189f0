// Behaviour of a combobox: its text, its options, and its keys.
import { useState, type KeyboardEvent } from 'react';
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
  const [wanted, setActive] = useState(0);
  const open = query !== undefined;
  // Opened with a value, it offers all options: the person came to choose another.
  const searched = query === value ? '' : query;
  const { offered, loading, failed } = useComboboxOptions(options, searched);
  const active = Math.min(wanted, Math.max(0, offered.length - 1));
  const write = (text: string | undefined) => {
    setQuery(text);
    setActive(0);
  };
  const choose = (next: string) => {
    onChange(next);
    write(undefined);
  };
  const enter = () => {
    // The first option listed while others load is that of an earlier text.
    const option = loading && wanted === 0 ? undefined : offered[active];
    if (option) choose(option.value);
    else if (allowCustom) choose(query ?? value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
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
