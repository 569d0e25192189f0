// A text field with suggestions: from a list, or requested from the server while typing.
import { ChevronsUpDown } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { useFieldAttributes } from './field-context.ts';
import { INPUT_STYLE } from './input-style.ts';
import { Spinner } from '../feedback/Spinner.tsx';
import { useCombobox } from './use-combobox.ts';

export interface ComboboxOption {
  readonly value: string;
  readonly label?: ReactNode;
  readonly hint?: ReactNode;
}

export interface ComboboxProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Options to offer: all of them, or a query that is sent 150 ms after the last key and cancelled by the next. */
  readonly options: readonly ComboboxOption[] | ((query: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>);
  /** Accepts text that is not on offer. */
  readonly allowCustom?: boolean;
  /** Its name, outside of a Field. */
  readonly 'aria-label'?: string;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
}

export function Combobox({ value, onChange, options, allowCustom = false, mono, className, ...rest }: ComboboxProps) {
  const id = useId();
  const field = useFieldAttributes();
  const box = useCombobox({ value, onChange, options, allowCustom });
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (box.open) list.current?.children[box.active]?.scrollIntoView({ block: 'nearest' });
  }, [box.open, box.active]);
  return (
    <div className={cn('relative min-w-0', className)}>
      <input
        {...field}
        {...rest}
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-expanded={box.open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={box.open && box.offered[box.active] ? `${id}-${box.active}` : undefined}
        value={box.text}
        onChange={(event) => box.write(event.target.value)}
        onClick={box.show}
        onKeyDown={box.onKeyDown}
        onBlur={box.leave}
        className={cn(INPUT_STYLE, 'h-control pr-8 pl-2.5', mono && 'font-mono text-sm')}
      />
      <span aria-hidden className="pointer-events-none absolute inset-y-0 right-2 flex items-center">
        {box.loading ? <Spinner className="size-3.5" /> : <ChevronsUpDown className="size-3.5 text-faint" />}
      </span>
      <ul
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label="Suggestions"
        hidden={!box.open}
        className="absolute inset-x-0 top-full z-50 mt-1 max-h-64 overflow-auto rounded-lg bg-raised p-1 shadow-overlay"
      >
        {box.offered.map((option, index) => (
          <li
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === box.active}
            onPointerDown={(event) => event.preventDefault()}
            onPointerEnter={() => box.setActive(index)}
            onClick={() => box.choose(option.value)}
            className="flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1 aria-selected:bg-hover"
          >
            <span className={cn('min-w-0 flex-1 truncate', mono && 'font-mono text-sm')}>{option.label ?? option.value}</span>
            {option.hint != null && <span className="shrink-0 text-sm text-muted">{option.hint}</span>}
          </li>
        ))}
        {box.offered.length === 0 && !box.loading && (
          <li role="option" aria-selected={false} aria-disabled className="px-2 py-1 text-sm text-muted">
            {box.failed ? 'The suggestions could not be loaded.' : allowCustom ? 'No matches. Enter uses the text.' : 'Nothing fits.'}
          </li>
        )}
      </ul>
    </div>
  );
}
