// Chooses an agent: from the namespace, or one that does not exist yet.
import { Bot, CirclePlus } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { cn } from '../../../ui/cn.ts';
import type { PickFor } from '../document/design-actions.ts';
import type { ListedAgent } from './use-agents.ts';

export interface AgentPickerProps {
  readonly picking: PickFor | undefined;
  readonly agents: readonly ListedAgent[];
  /** The agents have not arrived: whether a name is new is not known yet. */
  readonly loading: boolean;
  /** Agents of the system, which can be connected to but not added again. */
  readonly inSystem: readonly string[];
  /** The chosen agents, and those of them that do not exist yet. */
  readonly onPick: (agents: readonly string[], unknown: readonly string[]) => void;
  readonly onClose: () => void;
}

const TITLES: Readonly<Record<PickFor['for'], string>> = {
  add: 'Add an agent',
  connect: 'Connect to',
  insert: 'Insert an agent',
  like: 'Duplicate with connections',
};

const SHOWN_MAX = 60;

interface Offer {
  readonly label: string;
  readonly refs: readonly string[];
  readonly unknown: readonly string[];
  readonly hint: string;
}

const joined = (names: readonly string[]) => (names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/** Agents that are written out: one name, or several with commas between them. */
function writtenOut({ picking, agents, loading, inSystem }: AgentPickerProps, query: string): Offer | undefined {
  if (loading) return undefined;
  const several = picking?.for === 'add' || picking?.for === 'connect';
  const names = [...new Set((several ? query.split(/[\s,]+/) : [query.trim()]).filter((name) => name !== '' && !/[\s"]/.test(name)))];
  const known = new Set([...inSystem, ...agents.map(({ ref }) => ref)]);
  const unknown = names.filter((name) => !known.has(name) && !name.includes('/'));
  if (names.length === 0 || (names.length === 1 && known.has(names[0] ?? ''))) return undefined;
  const made = unknown.length === 0 ? 'Add' : 'Create';
  return {
    label: `${made} ${joined(names)}`,
    refs: names,
    unknown,
    hint: unknown.length > 1 ? `${unknown.length} new agents` : unknown.length === 1 ? 'new agent' : '',
  };
}

function offersFor(props: AgentPickerProps, query: string): Offer[] {
  const { picking, agents, inSystem } = props;
  const present = new Set(inSystem);
  const text = query.trim().toLowerCase();
  const one = (ref: string, hint: string): Offer => ({ label: ref, refs: [ref], unknown: [], hint });
  // Enter takes the first one: a connection of an agent to itself is the rarest.
  const targets = picking?.for === 'connect' ? [...inSystem.filter((ref) => ref !== picking.from), picking.from] : [];
  const own = targets.map((ref) => one(ref, ref === targets.at(-1) ? 'itself, as a loop' : 'in this system'));
  const others = agents.filter(({ ref }) => !present.has(ref)).map(({ ref, model }) => one(ref, model ?? ''));
  const fitting = [...own, ...others].filter(({ label, hint }) => `${label} ${hint}`.toLowerCase().includes(text)).slice(0, SHOWN_MAX);
  const written = writtenOut(props, query);
  return written ? [...fitting, written] : fitting;
}

export function AgentPicker(props: AgentPickerProps) {
  const { picking, onClose } = props;
  const title = picking === undefined ? '' : picking.for === 'connect' ? `Connect ${picking.from} to` : TITLES[picking.for];
  return (
    <Dialog open={picking !== undefined} onClose={onClose} title={title} size="sm">
      {picking && <PickerBody {...props} />}
    </Dialog>
  );
}

/** An Enter pressed before the agents have arrived takes the first offer of the same text once they have. */
function useEnterAhead(props: AgentPickerProps, { query, first }: { readonly query: string; readonly first: Offer | undefined }) {
  const { loading, onPick } = props;
  const [pressedAt, setPressedAt] = useState<string>();
  const due = pressedAt === query && !loading;
  useEffect(() => {
    if (!due) return;
    setPressedAt(undefined);
    if (first) onPick(first.refs, first.unknown);
  }, [due, first, onPick]);
  return () => setPressedAt(loading ? query : undefined);
}

function PickerBody(props: AgentPickerProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const offers = useMemo(() => offersFor(props, query), [props, query]);
  const enterAhead = useEnterAhead(props, { query, first: offers[0] });
  useEffect(() => input.current?.focus(), []);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, offers]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((before) => Math.min(Math.max(0, before + step), Math.max(0, offers.length - 1)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const offer = offers[active];
      if (offer) props.onPick(offer.refs, offer.unknown);
      else enterAhead();
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <Input
        ref={input}
        role="combobox"
        aria-label="Agent"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={offers.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Search, or name new ones: planner, research, writer"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Agents" className="-mx-1 max-h-72 overflow-auto">
        {offers.map((offer, index) => (
          <li
            key={offer.label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerMove={() => setActive(index)}
            onClick={() => props.onPick(offer.refs, offer.unknown)}
            className={cn('flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 aria-selected:bg-hover')}
          >
            {offer.unknown.length === 0 ? (
              <Bot aria-hidden className="size-4 shrink-0 text-faint" />
            ) : (
              <CirclePlus aria-hidden className="size-4 shrink-0 text-accent-text" />
            )}
            <span className="min-w-0 flex-1 truncate">{offer.label}</span>
            <span className="shrink-0 text-sm text-muted">{offer.hint}</span>
          </li>
        ))}
      </ul>
      {offers.length === 0 && (
        <p className="px-1 text-sm text-muted">
          {props.loading ? 'Loading the agents …' : 'Type a name to create an agent, or several with commas: planner, research, writer.'}
        </p>
      )}
    </div>
  );
}
