// Schedule on its page: its cron line in words, the next due times, a run at once, runs of past due times, and the newest runs with their outcome.
import { BACKFILL_LABEL, SLOT_LABEL } from '@svc/shared/api/schedules';
import { dueTime, describeSchedule } from '@svc/shared/cron/cron-description';
import type { Resource } from '@svc/shared/resource';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CalendarClock, CalendarCog, History, Play } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { StatePill } from '../../../kinds/StatePill.tsx';
import { api, client } from '../../../live/api.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { capitalized } from '../../../ui/text/capitalized.ts';
import { SlotStrip } from './SlotStrip.tsx';

const KIND = 'TaskSchedule';
const SHOWN = 10;
const RUNS_SHOWN = 20;

/** All load the rules of cron. */
const ScheduleMonth = lazyPart(async () => (await import('./ScheduleMonth.tsx')).ScheduleMonth);
const ChangeTimesDialog = lazyPart(async () => (await import('./ChangeTimesDialog.tsx')).ChangeTimesDialog);
const BackfillDialog = lazyPart(async () => (await import('./BackfillDialog.tsx')).BackfillDialog);

export function ScheduleCards({ resource }: { readonly resource: Resource }) {
  return (
    <>
      <NextTimes resource={resource} />
      <SlotStrip resource={resource} />
      <Calendar resource={resource} />
      <Runs resource={resource} />
    </>
  );
}

function NextTimes({ resource }: { readonly resource: Resource }) {
  const { namespace, name, generation } = resource.metadata;
  const { schedule, time_zone: zone, suspend } = specOf(KIND, resource);
  const { nextScheduleTime, activeRuns = [] } = statusOf(KIND, resource);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = own === zone ? 'the time zone of the schedule' : 'the time zone of the schedule and in that of this browser';
  const query = useQuery(api.schedules.preview.queryOptions({ namespace, name, count: SHOWN }));
  const { refetch } = query;
  useEffect(() => void refetch(), [refetch, generation, nextScheduleTime]);
  return (
    <Card
      title={capitalized(describeSchedule({ schedule, time_zone: zone }))}
      description={suspend === true ? 'Suspended: it would run at these times.' : `The next due times, in ${zones}.`}
      actions={
        <>
          <ChangeTimes resource={resource} />
          <Backfill resource={resource} />
          <RunNow namespace={namespace} name={name} active={activeRuns[0]} />
        </>
      }
    >
      <QueryState query={query} title="The due times could not be loaded" skeleton="h-24" />
      {query.data && (
        <ol aria-label="Next due times" className="flex flex-col gap-1">
          {query.data.items.map((at) => (
            <li key={at} className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-64 tabular-nums">{dueTime(at, zone)}</span>
              {own !== zone && <span className="min-w-64 text-muted tabular-nums">{dueTime(at, own)}</span>}
              <span className="text-sm text-muted">
                <Time at={at} sentence />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Calendar({ resource }: { readonly resource: Resource }) {
  const { schedule, time_zone: zone } = specOf(KIND, resource);
  return (
    <Card title="Calendar" description={`Due times by day, ${zone}. Arrow keys move between days, Page Up and Page Down between months.`}>
      <Suspense fallback={<Skeleton className="h-80" />}>
        <ScheduleMonth key={`${schedule} ${zone}`} schedule={schedule} zone={zone} />
      </Suspense>
    </Card>
  );
}

function ChangeTimes({ resource }: { readonly resource: Resource }) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<CalendarCog />} disabledReason={reason} onClick={() => setOpen(true)}>
        Change the times
      </Button>
      {open && (
        <Suspense>
          <ChangeTimesDialog resource={resource} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function Backfill({ resource }: { readonly resource: Resource }) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<History />} disabledReason={reason} onClick={() => setOpen(true)}>
        Backfill…
      </Button>
      {open && (
        <Suspense>
          <BackfillDialog resource={resource} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function RunNow({ namespace, name, active }: { readonly namespace: string; readonly name: string; readonly active: string | undefined }) {
  const { reason } = useCanWrite();
  const run = useMutation({
    mutationFn: () => client.schedules.trigger.mutate({ namespace, name }),
    onSuccess: ({ task }) => toastDone(`${task} is created`),
    onError: (error) => toastError('The schedule could not run', error),
  });
  const blocked = active === undefined ? undefined : `Its run ${active} is active. Wait for it or cancel it.`;
  return (
    <Button icon={<Play />} busy={run.isPending} disabledReason={reason ?? blocked} onClick={() => run.mutate()}>
      Run now
    </Button>
  );
}

function causeOf({ metadata: { labels } }: Resource): string {
  if (labels[BACKFILL_LABEL] !== undefined) return 'backfilled';
  return labels[SLOT_LABEL] === undefined ? 'started by hand' : 'on schedule';
}

function Runs({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const { scope } = useScope();
  const input = {
    kind: 'Task',
    namespace,
    labelSelector: `svc.dev/task-schedule=${name}`,
    order: '-createdAt',
    limit: RUNS_SHOWN,
  } as const;
  const query = useQuery(api.resources.list.queryOptions(input));
  return (
    <Card flush title="Runs" description={`The newest ${RUNS_SHOWN}. Older ones are deleted by the limits of the schedule.`}>
      <QueryState query={query} title="The runs could not be loaded" skeleton="h-16" className="m-4" />
      {query.data?.items.length === 0 && (
        <EmptyState cause="none" icon={<CalendarClock />} title="No runs yet">
          Each due time makes one run, which appears here with its outcome.
        </EmptyState>
      )}
      {query.data && query.data.items.length > 0 && (
        <ul aria-label="Runs of the schedule" className="divide-y divide-border/60">
          {query.data.items.map((run) => (
            <li key={run.metadata.uid} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
              <StatePill kind="Task" status={run.status} />
              <PeekLink
                object={{ kind: 'Task', namespace, name: run.metadata.name }}
                scope={scope}
                className="min-w-0 truncate font-mono text-sm"
              >
                {run.metadata.name}
              </PeekLink>
              <span className="text-sm text-muted">{causeOf(run)}</span>
              <span className="ml-auto text-sm text-faint">
                <Time at={run.metadata.createdAt} sentence />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
