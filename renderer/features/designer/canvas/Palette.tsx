// The agents of the namespace, to be dragged onto the canvas or added by a click.
import { Bot, Check, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Input } from '../../../ui/input/Input.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { ListedAgent } from './use-agents.ts';

export interface PaletteProps {
  readonly agents: readonly ListedAgent[];
  readonly loading: boolean;
  readonly failed: boolean;
  readonly inSystem: ReadonlySet<string>;
  readonly onAdd: (agent: string) => void;
}

/** Media type of a dragged agent. */
export const AGENT_DRAG = 'application/x-svc-agent';
const SHOWN_MAX = 100;

export function Palette({ agents, loading, failed, inSystem, onAdd }: PaletteProps) {
  const [query, setQuery] = useState('');
  const fitting = useMemo(() => {
    const text = query.trim().toLowerCase();
    return agents.filter(({ ref, model }) => `${ref} ${model ?? ''}`.toLowerCase().includes(text));
  }, [agents, query]);
  return (
    <section aria-label="Agents to add" className="flex min-h-0 flex-1 flex-col gap-1.5 p-2">
      <Input
        icon={<Search />}
        aria-label="Search agents to add"
        placeholder="Search agents"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul className="min-h-0 flex-1 overflow-auto">
        {fitting.slice(0, SHOWN_MAX).map(({ ref, model }) => {
          const there = inSystem.has(ref);
          return (
            <li key={ref}>
              <button
                type="button"
                draggable={!there}
                disabled={there}
                title={there ? `${ref} is in the system` : `Drag ${ref} onto the canvas, or press to add it`}
                onDragStart={(event) => {
                  event.dataTransfer.setData(AGENT_DRAG, ref);
                  event.dataTransfer.effectAllowed = 'copy';
                }}
                onClick={() => onAdd(ref)}
                className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left -outline-offset-2 not-disabled:cursor-grab not-disabled:hover:bg-hover disabled:text-muted"
              >
                {there ? (
                  <Check aria-hidden className="size-3.5 shrink-0 text-ok" />
                ) : (
                  <Bot aria-hidden className="size-3.5 shrink-0 text-faint" />
                )}
                <span className="min-w-0 flex-1 truncate">{ref}</span>
                <span className="max-w-24 truncate text-sm text-muted">{model}</span>
              </button>
            </li>
          );
        })}
        {loading && [1, 2, 3].map((each) => <Skeleton key={each} className="mb-1.5 h-6 w-full" />)}
      </ul>
      {failed && <p className="px-1 text-sm text-danger">The agents could not be loaded.</p>}
      {!loading && !failed && fitting.length === 0 && (
        <p className="px-1 pb-1 text-sm text-muted">{query === '' ? 'There are no agents in this namespace yet.' : 'No agent fits.'}</p>
      )}
      {fitting.length > SHOWN_MAX && <p className="px-1 text-sm text-muted">and {fitting.length - SHOWN_MAX} more; search to narrow</p>}
    </section>
  );
}
