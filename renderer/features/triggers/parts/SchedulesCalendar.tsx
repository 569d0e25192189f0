// Calendar of many schedules: the days of a month with what is due on each. Days and times are those of each schedule's own time zone.
import type { Resource } from '@svc/shared/resource';
import { CirclePause } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { PeekLink } from '../../../inspector/PeekLink.tsx';
import { specOf } from '../../../kinds/read.ts';
import { serverNow } from '../../../live/server-clock.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { dayTotals, dueDays, formatDay, sharedDays, type DueOnDay, type ScheduledClock, type SharedDay } from '../model/month.ts';
import { MonthGrid, type DayContent } from './MonthGrid.tsx';

/** Schedules drawn in a cell; more are condensed to their number. */
const CELL_MAX = 3;
const LISTED_MAX = 200;
/** Schedules whose month is computed before the next frame is drawn. */
const STEP = 10;
const SCHEDULES_MAX = 1_000;

interface Scheduled extends ScheduledClock {
  readonly namespace: string;
  readonly name: string;
}

type Due = ReadonlyMap<string, DueOnDay<Scheduled>>;

export interface SchedulesCalendarProps {
  readonly rows: readonly Resource[];
  readonly hasMore: boolean;
}

const clockOf = (resource: Resource): Scheduled => {
  const { schedule, time_zone: zone, suspend } = specOf('TaskSchedule', resource);
  const { namespace, name } = resource.metadata;
  return { key: `${namespace}/${name}`, namespace, name, schedule, time_zone: zone, suspended: suspend === true };
};

export function SchedulesCalendar({ rows, hasMore }: SchedulesCalendarProps) {
  const today = new Intl.DateTimeFormat('en-CA').format(serverNow());
  const [selected, setSelected] = useState(today);
  const [year = 0, month = 1] = selected.split('-').map(Number);
  const clocks = useMemo(() => rows.slice(0, SCHEDULES_MAX).map(clockOf), [rows]);
  const due = useDue(clocks, year, month);
  const days = useMemo(() => sharedDays(due, year, month), [due, year, month]);
  const busy = due.length < clocks.length;
  const note = busy
    ? `${due.length} of ${clocks.length} schedules are read.`
    : hasMore || rows.length > clocks.length
      ? `The first ${clocks.length} schedules of the list. Narrow the list for others.`
      : undefined;
  return (
    <Card
      title="Calendar"
      description="Due times by day, each in the time zone of its schedule. Arrow keys move between days, Page Up and Page Down between months."
    >
      <div className="flex flex-col gap-3" aria-busy={busy}>
        <MonthGrid
          {...{ days, today, selected, contentOf }}
          onSelect={setSelected}
          aside={note !== undefined && <span className="ml-auto text-sm text-muted">{note}</span>}
        />
        <DayList day={days.find(({ date }) => date === selected)} />
      </div>
    </Card>
  );
}

/** Due days of each schedule, computed a few at a time: thousands of schedules do not hold the page. */
function useDue(clocks: readonly Scheduled[], year: number, month: number): readonly Due[] {
  const [found, setFound] = useState<{ readonly of: string; readonly due: readonly Due[] }>({ of: '', due: [] });
  const of = `${year}-${month} ${clocks.map((each) => `${each.key} ${each.schedule} ${each.time_zone} ${each.suspended}`).join('\n')}`;
  useEffect(() => {
    const due: Due[] = [];
    let frame = 0;
    const step = () => {
      for (const clock of clocks.slice(due.length, due.length + STEP)) due.push(dueDays(clock, year, month));
      setFound({ of, due: [...due] });
      if (due.length < clocks.length) frame = requestAnimationFrame(step);
    };
    step();
    return () => cancelAnimationFrame(frame);
    // `of` stands for the clocks, which are new objects with each change of any status.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [of]);
  return found.of === of ? found.due : NOTHING;
}

const NOTHING: readonly Due[] = [];

function contentOf({ date, due }: SharedDay<Scheduled>): DayContent {
  const name = formatDay(date, { weekday: 'long', day: 'numeric', month: 'long' });
  const totals = dayTotals(due);
  const shown = due.length > CELL_MAX ? due.slice(0, CELL_MAX - 1) : due;
  return {
    sentence: `${name}: ${totals ?? 'no due time'}.`,
    due: due.some(({ clock }) => !clock.suspended),
    children: (
      <>
        {shown.map((each) => (
          <DueLine key={each.clock.key} due={each} />
        ))}
        {due.length > shown.length && <span className="block truncate text-muted">{due.length - shown.length} more</span>}
      </>
    ),
  };
}

function DueLine({ due: { clock, fires, text } }: { readonly due: DueOnDay<Scheduled> }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      {clock.suspended && <CirclePause aria-hidden className="size-3 shrink-0 text-faint" />}
      <span className={clock.suspended ? 'truncate text-faint line-through' : 'truncate text-text'}>
        {fires > 1 ? `${fires} ×` : text} {clock.name}
      </span>
    </span>
  );
}

function DayList({ day }: { readonly day: SharedDay<Scheduled> | undefined }) {
  const { scope, namespace } = useScope();
  if (!day) return null;
  const title = formatDay(day.date, { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <p role="status" className="text-sm text-muted">
        {title}: {dayTotals(day.due) ?? 'no due time'}.
      </p>
      <ul aria-label={`Schedules due on ${title}`} className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {day.due.slice(0, LISTED_MAX).map(({ clock, fires, text }) => (
          <li key={clock.key} className="flex min-w-0 items-baseline gap-2 text-sm">
            <PeekLink
              object={{ kind: 'TaskSchedule', namespace: clock.namespace, name: clock.name }}
              scope={scope}
              className="min-w-0 truncate"
            >
              {namespace === undefined ? clock.key : clock.name}
            </PeekLink>
            <span className="shrink-0 text-muted tabular-nums">
              {fires > 3 ? `${fires} times, from ${text.split(' ')[0] ?? ''}` : text.replaceAll(' ', ', ')}
            </span>
            <span className="min-w-0 truncate text-faint">{clock.time_zone}</span>
            {clock.suspended && <span className="shrink-0 text-faint">suspended</span>}
          </li>
        ))}
      </ul>
      {day.due.length > LISTED_MAX && <p className="text-sm text-muted">{day.due.length - LISTED_MAX} more are not listed.</p>}
    </section>
  );
}
