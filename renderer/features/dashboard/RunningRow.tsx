// One open run. Unfolded it explains, in the server's words, what it does or waits for.
import type { Resource } from '@svc/shared/resource';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { specOf, statusOf } from '../../kinds/read.ts';
import { problemOf } from '../../live/problem.ts';
import { cn } from '../../ui/cn.ts';
import { Duration } from '../../ui/status/Duration.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { PeekLink } from '../../inspector/PeekLink.tsx';
import { PhasePill } from '../../ui/status/PhasePill.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { mainReason } from '../runs/model/explain-sentence.ts';
import { useLiveExplanation } from './use-live-explanation.ts';

export interface RunningRowProps {
  readonly run: Resource;
  readonly scope: string;
  /** Shows the namespace too. */
  readonly named: boolean;
}

export function RunningRow({ run, scope, named }: RunningRowProps) {
  const [open, setOpen] = useState(false);
  const { namespace, name, createdAt } = run.metadata;
  const { phase, startedAt } = statusOf('Task', run);
  return (
    <li>
      <div className="flex min-h-11 items-center gap-3 px-4 py-1.5 hover:bg-hover">
        <IconButton
          size="sm"
          label={`Status of ${name}`}
          aria-expanded={open}
          icon={<ChevronRight className={cn('transition-transform', open && 'rotate-90')} />}
          onClick={() => setOpen(!open)}
        />
        <span className="min-w-0 flex-1">
          <PeekLink object={{ kind: 'Task', namespace, name }} scope={scope} look="quiet" className="block truncate font-medium">
            {named ? `${namespace}/` : ''}
            {name}
          </PeekLink>
          <span className="block truncate text-sm text-muted">{specOf('Task', run).system}</span>
        </span>
        <PhasePill phase={phase} look="quiet" className="max-sm:hidden" />
        <span className="w-20 text-right text-muted tabular-nums">
          <Duration from={startedAt ?? createdAt} />
        </span>
      </div>
      {open && <Why run={run} />}
    </li>
  );
}

function Why({ run }: { readonly run: Resource }) {
  const { data, error } = useLiveExplanation(run);
  const reason = data && mainReason(data.reasons);
  return (
    <p aria-live="polite" className="mx-4 mb-2 ml-13 border-l-2 border-accent pl-3 text-pretty text-muted">
      {!data && !error && <Skeleton className="my-1 w-1/2" />}
      {!data && error && problemOf(error).message}
      {data && <UntrustedText text={reason?.message ?? 'No reason reported.'} />}
    </p>
  );
}
