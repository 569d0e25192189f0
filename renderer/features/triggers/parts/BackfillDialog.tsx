// Backfill of a schedule: a past range, its due times with their runs, and the start of those that are missing.
import { BACKFILL_MAX, type BackfillSlot, type ScheduleBackfill } from '@svc/shared/api/schedules';
import { countFires, firesAfter, type CronClock } from '@svc/shared/cron/cron';
import { dueTime } from '@svc/shared/cron/cron-description';
import type { Resource } from '@svc/shared/resource';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { api, client } from '../../../live/api.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { parseZoneTime, zoneTime } from '../model/zone-time.ts';

const KIND = 'TaskSchedule';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

interface BackfillDialogProps {
  readonly resource: Resource;
  readonly onClose: () => void;
}

export function BackfillDialog({ resource, onClose }: BackfillDialogProps) {
  const { namespace, name } = resource.metadata;
  const [done, setDone] = useState<ScheduleBackfill>();
  const start = useMutation({
    mutationFn: (range: Range) => client.schedules.backfill.mutate({ namespace, name, ...range }),
    onSuccess: setDone,
  });
  return (
    <Dialog
      open
      size="lg"
      onClose={onClose}
      closable={!start.isPending}
      title={`Backfill ${name}`}
      description="Starts the runs that are missing at due times of the past."
    >
      {done ? (
        <Started done={done} onClose={onClose} />
      ) : (
        <RangeForm resource={resource} busy={start.isPending} error={start.error} onStart={start.mutate} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** RFC 3339 in UTC. */
interface Range {
  readonly from: string;
  readonly to: string;
}

/** The longest of a week, a day and an hour up to now that is not too long for one backfill. */
function firstRange(clock: CronClock): Range {
  const now = Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;
  const fits = (hours: number) => countFires(clock, { from: now - hours * HOUR_MS, to: now + 1, max: BACKFILL_MAX + 1 }) <= BACKFILL_MAX;
  const hours = [7 * 24, 24].find(fits) ?? 1;
  const text = (at: number) => zoneTime(at, clock.time_zone);
  return { from: text(now - hours * HOUR_MS), to: text(now) };
}

function problemOfEnd(clock: CronClock, from: string, to: string | undefined): string | undefined {
  const [begin, end] = [Date.parse(from), Date.parse(to ?? '')];
  if (Number.isNaN(end)) return 'must be a date and a time';
  if (end < begin) return 'must not be before the beginning';
  if (end > serverNow()) return 'must not be in the future';
  const [last, over] = firesAfter(clock, begin - 1, BACKFILL_MAX + 1).slice(BACKFILL_MAX - 1);
  if (last === undefined || over === undefined || over > end) return undefined;
  return `must be at most ${dueTime(new Date(last).toISOString(), clock.time_zone)}: a backfill has at most ${BACKFILL_MAX} due times`;
}

interface RangeFormProps extends BackfillDialogProps {
  readonly busy: boolean;
  /** Failure of the start. */
  readonly error: unknown;
  readonly onStart: (range: Range) => void;
}

function RangeForm({ resource, busy, error, onStart, onClose }: RangeFormProps) {
  const { namespace, name } = resource.metadata;
  const { schedule, time_zone: zone } = specOf(KIND, resource);
  const [active] = statusOf(KIND, resource).activeRuns ?? [];
  const { reason } = useCanWrite();
  const [range, setRange] = useState(() => firstRange({ schedule, time_zone: zone }));
  const [from, to] = [parseZoneTime(range.from, zone), parseZoneTime(range.to, zone)];
  const endProblem = from === undefined ? undefined : problemOfEnd({ schedule, time_zone: zone }, from, to);
  const asked = from === undefined || to === undefined || endProblem !== undefined ? undefined : { from, to };
  // Runs of the schedule come and go while the dialog is closed.
  const query = useQuery(
    api.schedules.previewBackfill.queryOptions(asked ? { namespace, name, ...asked } : skipToken, { gcTime: 0, staleTime: 0 }),
  );
  const missing = query.data?.items.filter(({ task }) => task === null).length ?? 0;
  const blocked = active === undefined ? undefined : `Its run ${active} is active. Wait for it or cancel it.`;
  const ready = asked !== undefined && query.data !== undefined && missing > 0;
  return (
    <Form onSubmit={() => ready && !busy && onStart(asked)} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={`From, ${zone}`} error={from === undefined ? 'must be a date and a time' : undefined}>
          <Input type="datetime-local" value={range.from} onChange={({ target }) => setRange({ ...range, from: target.value })} />
        </Field>
        <Field label={`To, ${zone}`} error={endProblem}>
          <Input type="datetime-local" value={range.to} onChange={({ target }) => setRange({ ...range, to: target.value })} />
        </Field>
      </div>
      {asked && <QueryState query={query} title="The due times could not be listed" skeleton="h-24" />}
      {query.data && <DueList found={query.data} missing={missing} />}
      {error !== null && <ErrorCard error={error} title="The runs could not be started" />}
      <FormButtons
        submit={missing === 0 ? 'Start' : missing === 1 ? 'Start 1 run' : `Start ${missing} runs`}
        onCancel={onClose}
        busy={busy}
        disabledReason={reason ?? blocked}
        disabled={!ready}
      />
    </Form>
  );
}

function DueList({ found, missing }: { readonly found: ScheduleBackfill; readonly missing: number }) {
  const { items, time_zone: zone, unrecorded_before: unrecorded } = found;
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="text-base">
        {summaryOf(items.length, missing)}
      </p>
      {items.length > 0 && <Slots items={items} zone={zone} stateOf={({ task }) => (task === null ? 'to start' : 'has its run')} />}
      {unrecorded !== null && (
        <Banner tone="warn">
          Due times before <Time at={unrecorded} /> have no record. One of them whose run was deleted is started again.
        </Banner>
      )}
      {missing > 1 && (
        <p className="text-sm text-muted">
          The runs start at once and may run at the same time. While one of them is active, further due times are left out.
        </p>
      )}
    </div>
  );
}

function summaryOf(due: number, missing: number): string {
  if (due === 0) return 'No due times in this range.';
  const times = due === 1 ? '1 due time' : `${due} due times`;
  return missing === 0 ? `${times}, no run is missing.` : `${times}, ${missing} without a run.`;
}

interface SlotsProps {
  readonly items: readonly BackfillSlot[];
  readonly zone: string;
  readonly stateOf: (item: BackfillSlot) => string;
}

function Slots({ items, zone, stateOf }: SlotsProps) {
  const { scope } = useScope();
  return (
    <ol
      aria-label="Due times of the range"
      // Its text scrolls, so the keyboard reaches it.
      tabIndex={0}
      className="max-h-72 divide-y divide-border/60 overflow-y-auto rounded-md border border-border bg-sunken px-3"
    >
      {items.map((item) => {
        const [namespace = '', name = ''] = item.task?.split('/') ?? [];
        return (
          <li key={item.slot} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
            <span className="min-w-56 tabular-nums">{dueTime(item.slot, zone)}</span>
            <Badge tone={item.task === null || item.created ? 'running' : 'neutral'}>{stateOf(item)}</Badge>
            {item.task !== null && (
              <Link href={objectAddress({ kind: 'Task', namespace, name }, scope)} className="min-w-0 truncate font-mono text-sm">
                {name}
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Started({ done: { items, time_zone: zone }, onClose }: { readonly done: ScheduleBackfill; readonly onClose: () => void }) {
  const created = items.filter((item) => item.created).length;
  const before = items.length - created;
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-base">
        {created === 1 ? '1 run is started' : `${created} runs are started`}
        {before > 0 && `; ${before} ${before === 1 ? 'due time' : 'due times'} had a run before`}.
      </p>
      <Slots items={items} zone={zone} stateOf={(item) => (item.created ? 'started' : 'has its run')} />
      <div className="flex justify-end">
        <Button variant="primary" data-autofocus onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
