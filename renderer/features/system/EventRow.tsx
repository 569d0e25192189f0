// One event; unfolded, its data and the link to its object.
import type { EventRecord } from '@svc/shared/api/watch';
import { ChevronRight } from 'lucide-react';
import { memo, useState } from 'react';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { cn } from '../../ui/cn.ts';
import { JsonTree } from '../../ui/text/JsonTree.tsx';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';

export interface EventRowProps {
  readonly event: EventRecord;
  readonly scope: string;
  /** Shows the namespace too. */
  readonly named: boolean;
}

export const EventRow = memo(function EventRow({ event, scope, named }: EventRowProps) {
  const [open, setOpen] = useState(false);
  const { timestamp, type, kind, namespace, name, message, data, source, id } = event;
  return (
    <li className="border-b border-border/60">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="grid w-full grid-cols-[1rem_var(--time-width)_10rem_14rem_1fr] max-xl:grid-cols-[1rem_var(--time-width)_10rem_1fr] items-baseline gap-x-3 px-6 py-1.5 text-left -outline-offset-2 hover:bg-hover max-md:grid-cols-[1rem_var(--time-width)_1fr] max-sm:px-4"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 self-center text-faint transition-transform', open && 'rotate-90')} />
        <span className="text-sm text-muted">
          <Time at={timestamp} />
        </span>
        <span className="truncate font-mono text-sm text-muted">{type}</span>
        <span className="truncate text-sm max-xl:hidden">
          {kind} {name}
        </span>
        <span className="min-w-0 max-md:col-start-3">
          <span className="text-sm [overflow-wrap:anywhere] text-muted xl:hidden">{name}: </span>
          <UntrustedText text={message} />
        </span>
      </button>
      {open && (
        <div className="flex flex-col gap-2 px-6 pt-1 pb-3 pl-14 max-sm:px-4">
          <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
            <span className="flex items-center gap-1.5">
              <KindIcon kind={kind} className="size-3.5" />
              <PeekLink object={{ kind, namespace, name }} scope={scope}>
                {kind} {named ? `${namespace}/` : ''}
                {name}
              </PeekLink>
            </span>
            <span>from {source}</span>
            <span className="tabular-nums">event {id}</span>
          </p>
          {Object.keys(data).length > 0 && <JsonTree value={data} label={`Data of event ${id}`} />}
        </div>
      )}
    </li>
  );
});
