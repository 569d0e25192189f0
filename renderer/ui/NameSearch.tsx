// The filter of a list by how names begin. Applied while one types, a moment after the last key.
import { Search } from 'lucide-react';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { Input } from './Input.tsx';

export interface NameSearchProps {
  readonly value: string;
  /** Stays the same while nothing else changes: a new one begins the wait anew. */
  readonly onChange: (value: string) => void;
  readonly title?: string | undefined;
}

const TYPED_MS = 200;

export function NameSearch({ value, onChange, title }: NameSearchProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === value) return;
    const timer = setTimeout(() => onChange(wanted), TYPED_MS);
    return () => clearTimeout(timer);
  }, [wanted, value, onChange]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onChange(wanted);
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
