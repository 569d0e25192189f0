// The search field of a list. Applied while typing, a moment after the last key; Escape clears it.
import { Search } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent, type Ref } from 'react';
import { cn } from '../cn.ts';
import { Input } from './Input.tsx';

export interface SearchFieldProps {
  /** Names the field to readers of screens. */
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Keep its identity while nothing else changes: a new function restarts the delay. */
  readonly onChange: (value: string) => void;
  /** Takes words that are no search out of the typed text, and returns the rest. `final`: Enter was pressed. */
  readonly take?: (text: string, final: boolean) => string;
  /** Texts that complete the typed one. */
  readonly suggestionsOf?: (text: string) => readonly string[];
  readonly title?: string | undefined;
  readonly maxLength?: number;
  readonly ref?: Ref<HTMLInputElement>;
  readonly className?: string;
}

const TYPED_MS = 200;

const asTyped = (text: string): string => text;

export function SearchField(props: SearchFieldProps) {
  const { label, placeholder, value, onChange, take = asTyped, suggestionsOf, title, maxLength, ref, className } = props;
  const id = useId();
  const [text, setText] = useState(value);
  /** Reported values that have not come back as `value`: they carry no news when they do, and more may have been typed since. */
  const reported = useRef<readonly string[]>([]);
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at === -1 ? [] : reported.current.slice(at + 1);
    if (at === -1) setText(value);
  }, [value]);
  const wanted = text.trim();
  const report = useCallback(
    (name: string) => {
      reported.current = [...reported.current, name];
      onChange(name);
    },
    [onChange],
  );
  useEffect(() => {
    if (wanted === value) return;
    const timer = setTimeout(() => report(wanted), TYPED_MS);
    return () => clearTimeout(timer);
  }, [wanted, value, report]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      const rest = take(text, true);
      setText(rest);
      report(rest.trim());
    }
    if (event.key !== 'Escape' || text === '') return;
    event.stopPropagation();
    setText('');
  };
  return (
    <div className={cn('w-52 max-sm:w-full', className)}>
      <Input
        ref={ref}
        type="search"
        icon={<Search />}
        aria-label={label}
        placeholder={placeholder}
        title={title}
        maxLength={maxLength}
        value={text}
        list={suggestionsOf && `${id}-list`}
        onChange={(event) => setText(take(event.target.value, false))}
        onKeyDown={onKeyDown}
      />
      {suggestionsOf && (
        <datalist id={`${id}-list`}>
          {suggestionsOf(text).map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}
