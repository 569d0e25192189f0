// Search over all entries. Sent by Enter, never while typing: a vector search costs a call of the embedding model.
import type { SearchMode } from '@svc/shared/kinds/memory/search-mode';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input } from '../../../ui/input/Input.tsx';
import { Form } from '../../../ui/input/Form.tsx';

export interface EntrySearchProps {
  readonly value: string;
  readonly mode: SearchMode;
  readonly onSearch: (text: string) => void;
}

const PLACEHOLDERS: Readonly<Record<SearchMode, string>> = {
  vector: 'Search by meaning, then Enter',
  keyword: 'Search by words, then Enter',
  adapter: 'Search, then Enter',
};

export function EntrySearch({ value, mode, onSearch }: EntrySearchProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = () => onSearch(text.trim());
  const change = (next: string) => {
    setText(next);
    if (next === '' && value !== '') onSearch('');
  };
  return (
    <Form role="search" onSubmit={submit} className="w-80 max-sm:w-full">
      <Input
        type="search"
        icon={<Search />}
        aria-label="Search entries"
        placeholder={PLACEHOLDERS[mode]}
        maxLength={300}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </Form>
  );
}
