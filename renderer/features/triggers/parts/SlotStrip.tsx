// History of a schedule, one mark per slot: the outcome of its run, or the reason why it left none. Arrow keys move between slots.
import { SLOTS_COUNTED_MAX, type SlotRecord } from '@svc/shared/api/schedules';
import { dueTime } from '@svc/shared/cron/cron-description';
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleDashed, CirclePause, Clock3, Hand, History, Trash2, type LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { cn } from '../../../ui/cn.ts';
import { focusRendered } from '../../../ui/focus-rendered.ts';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { INK, type Tone } from '../../../ui/status/tone.ts';

const SHOWN = 50;

interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly Icon: LucideIcon;
}

const LOOKS: Readonly<Record<SlotRecord['outcome'], Look>> = {
  started: { label: 'Started', tone: 'running', Icon: CircleDashed },
  held_back: { label: 'Held back', tone: 'warn', Icon: Hand },
  missed: { label: 'Missed', tone: 'warn', Icon: Clock3 },
  suspended: { label: 'Suspended', tone: 'neutral', Icon: CirclePause },
  failed: { label: 'No run', tone: 'danger', Icon: CircleAlert },
  backfilled: { label: 'Backfilled', tone: 'neutral', Icon: History },
};

const ENDED: Readonly<Record<string, LucideIcon>> = { Succeeded: CircleCheck, Deleted: Trash2 };

function lookOf({ outcome, phase }: SlotRecord): Look {
  if (outcome !== 'started' || phase === null) return LOOKS[outcome];
  const { label, tone } = phaseLook(phase, 'Task');
  return { label, tone, Icon: Object.hasOwn(ENDED, phase) ? (ENDED[phase] ?? CircleAlert) : CircleAlert };
}

export function SlotStrip({ resource }: { readonly resource: Resource }) {
  const { namespace, name, resourceVersion } = resource.metadata;
  const zone = specOf('TaskSchedule', resource).time_zone;
  const query = useQuery(api.schedules.slots.queryOptions({ namespace, name }));
  const { refetch } = query;
  // Each record is written together with a status.
  useEffect(() => void refetch(), [refetch, resourceVersion]);
  return (
    <Card title="History" description={`The newest ${SHOWN} slots, the newest on the right. Arrow keys move between them.`}>
      <QueryState query={query} title="The slots could not be loaded" skeleton="h-16" />
      {query.data?.length === 0 && <p className="text-sm text-muted">No slot was due yet.</p>}
      {query.data && query.data.length > 0 && <Strip slots={query.data.slice(0, SHOWN).reverse()} zone={zone} />}
    </Card>
  );
}

const whenText = ({ slot, time }: SlotRecord, zone: string): string =>
  slot === null ? `by hand, ${dueTime(time, zone)}` : dueTime(slot, zone);

function Strip({ slots, zone }: { readonly slots: readonly SlotRecord[]; readonly zone: string }) {
  const [chosen, setChosen] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const at = Math.max(0, slots.findIndex(({ id }) => id === chosen) + 1 || slots.length) - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const last = slots.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setChosen(slots[Math.min(last, Math.max(0, to))]?.id);
    focusRendered(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]'));
  };
  const current = slots[at];
  return (
    <div className="flex flex-col gap-2">
      <ul
        ref={list}
        role="listbox"
        aria-label="Slots, oldest first"
        aria-orientation="horizontal"
        className="flex flex-wrap gap-1"
        onKeyDown={onKeyDown}
      >
        {slots.map((slot) => (
          <Mark key={slot.id} slot={slot} zone={zone} selected={slot === current} onSelect={() => setChosen(slot.id)} />
        ))}
      </ul>
      {current && <Detail slot={current} zone={zone} />}
    </div>
  );
}

interface MarkProps {
  readonly slot: SlotRecord;
  readonly zone: string;
  readonly selected: boolean;
  readonly onSelect: () => void;
}

function Mark({ slot, zone, selected, onSelect }: MarkProps) {
  const { label, tone, Icon } = lookOf(slot);
  const text = `${whenText(slot, zone)}: ${label}${slot.count > 1 ? `, ${slot.count} slots` : ''}`;
  return (
    <li
      role="option"
      aria-selected={selected}
      aria-label={text}
      title={text}
      tabIndex={selected ? 0 : -1}
      onClick={onSelect}
      onFocus={onSelect}
      className={cn(
        'flex h-8 min-w-7 cursor-pointer items-center justify-center gap-0.5 rounded-md border px-1 text-sm tabular-nums',
        INK[tone],
        selected ? 'border-accent outline-1 outline-accent' : 'border-border',
      )}
    >
      <Icon aria-hidden className="size-4" />
      {slot.count > 1 && slot.count}
    </li>
  );
}

function Detail({ slot, zone }: { readonly slot: SlotRecord; readonly zone: string }) {
  const { scope } = useScope();
  const { label } = lookOf(slot);
  const [namespace = '', name = ''] = slot.task?.split('/') ?? [];
  return (
    <p role="status" className="text-sm text-muted">
      {whenText(slot, zone)}: <span className="font-medium text-text">{label}</span>
      {slot.count > 1 && `, ${slot.count >= SLOTS_COUNTED_MAX ? 'at least ' : ''}${slot.count} slots`}
      {slot.reason !== null && ` (${slot.reason})`}
      {slot.task !== null && (
        <>
          {' · '}
          <PeekLink object={{ kind: 'Task', namespace, name }} scope={scope} className="font-mono">
            {name}
          </PeekLink>
        </>
      )}
      .
    </p>
  );
}
