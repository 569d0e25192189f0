// The filter of a list by prefix of names. Applied while typing, a moment after the last key.
import { Search } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Input } from './Input.tsx';

export interface NameSearchProps {
  readonly value: string;
  /** Keep its identity while nothing else changes: a new function restarts the delay. */
  readonly onChange: (value: string) => void;
  readonly title?: string | undefined;
}

const TYPED_MS = 200;

export function NameSearch({ value, onChange, title }: NameSearchProps) {
  const [text, setText] = useState(value);
  /** Reported values that have not come back as `value`: they carry no news when they do, and more may have been typed since. */
  const reported = useRef<readonly string[]>([]);
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at === -1 ? [] : reported.current.slice(at + 1);
    if (at === -1) setText(value);
  }, [value]);
  const wanted = text.trim();
  const tell = useCallback(
    (name: string) => {
      reported.current = [...reported.current, name];
      onChange(name);
    },
    [onChange],
  );
  useEffect(() => {
    if (wanted === value) return;
    const timer = setTimeout(() => tell(wanted), TYPED_MS);
    return () => clearTimeout(timer);
  }, [wanted, value, tell]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') tell(wanted);
    if (event.key !== 'Escape' || text === '') return;
    event.stopPropagation();
    setText('');
  };
  return (
    <div className="w-52 max-sm:w-full">
      <Input
        type="search"
        icon={<Search />}
        aria-label="Name begins with"
        placeholder="Name begins with…"
        title={title}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
