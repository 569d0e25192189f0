// Calendar of a schedule's due times: a month as a grid in the time zone of the schedule.
import { monthOf, type CalendarDay } from '@svc/shared/cron/cron-month';
import { Clock3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { serverNow } from '../../../live/server-clock.ts';
import { formatDay, timesText } from '../model/month.ts';
import { MonthGrid, type DayContent } from './MonthGrid.tsx';

interface ScheduleMonthProps {
  readonly schedule: string;
  readonly zone: string;
}

const LISTED_MAX = 2;

export function ScheduleMonth({ schedule, zone }: ScheduleMonthProps) {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(serverNow());
  const [selected, setSelected] = useState(today);
  const [year = 0, month = 1] = selected.split('-').map(Number);
  const days = useMemo(() => monthOf({ schedule, time_zone: zone }, year, month), [schedule, zone, year, month]);
  const day = days.find(({ date }) => date === selected);
  return (
    <div className="flex flex-col gap-2">
      <MonthGrid {...{ days, today, selected }} onSelect={setSelected} contentOf={(each) => contentOf(each, zone)} />
      <p role="status" className="text-sm text-muted">
        {day ? daySentence(day, zone) : `${formatDay(selected, { day: 'numeric', month: 'long' })} does not exist in this time zone.`}
      </p>
    </div>
  );
}

function contentOf(day: CalendarDay, zone: string): DayContent {
  const { fires, hours } = day;
  return {
    sentence: daySentence(day, zone),
    due: fires > 0,
    mark: hours !== 24 && (
      <span className="inline-flex items-center gap-0.5 text-warn">
        <Clock3 aria-hidden className="size-3" />
        {hours} h
      </span>
    ),
    children: <span className="block truncate text-text">{fires > LISTED_MAX ? `${fires} ×` : timesText(day, zone)}</span>,
  };
}

/** `Tuesday 24 November: 288 due times, the first at 00:00 00:05 00:10.` */
function daySentence(day: CalendarDay, zone: string): string {
  const { date, fires, hours, times } = day;
  const name = formatDay(date, { weekday: 'long', day: 'numeric', month: 'long' });
  const clocks = hours === 24 ? '' : ` Clocks change: the day has ${hours} hours.`;
  if (fires === 0) return `${name}: no due time.${clocks}`;
  if (fires === 1) return `${name}: due at ${timesText(day, zone)}.${clocks}`;
  return `${name}: ${fires} due times, ${fires > times.length ? 'the first ' : ''}at ${timesText(day, zone).replaceAll(' ', ', ')}.${clocks}`;
}
