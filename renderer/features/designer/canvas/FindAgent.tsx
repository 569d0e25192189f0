// Finds an agent on the canvas by a part of its name.
import { Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Input } from '../../../ui/input/Input.tsx';
import type { SystemGraphModel } from '../../../graph/system-graph.ts';

export interface FindAgentProps {
  readonly model: SystemGraphModel;
  readonly onFind: (agent: string) => void;
  readonly onClose: () => void;
}

export function FindAgent({ model, onFind, onClose }: FindAgentProps) {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const found = useMemo(() => {
    const text = query.trim().toLowerCase();
    return text === '' ? [] : model.nodes.filter(({ id }) => id.toLowerCase().includes(text)).slice(0, 8);
  }, [model, query]);
  useEffect(() => input.current?.focus(), []);
  const go = (agent: string | undefined) => {
    if (agent === undefined) return;
    onFind(agent);
    onClose();
  };
  return (
    <search className="absolute top-3 left-1/2 z-10 w-72 -translate-x-1/2 rounded-lg bg-raised p-2 shadow-overlay">
      <Input
        ref={input}
        icon={<Search />}
        aria-label="Find an agent"
        placeholder="Find an agent"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(found[0]?.id);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onClose();
        }}
        onBlur={(event) => !event.currentTarget.closest('search')?.contains(event.relatedTarget) && onClose()}
      />
      {query !== '' && (
        <ul aria-label="Found agents" className="mt-1">
          {found.map(({ id }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => go(id)}
                className="flex h-7 w-full items-center truncate rounded-md px-2 text-left hover:bg-hover"
              >
                {id}
              </button>
            </li>
          ))}
          {found.length === 0 && <li className="px-2 py-1 text-sm text-muted">No matching agents.</li>}
        </ul>
      )}
    </search>
  );
}
