// Calendar of a schedule's due times: a month as a grid in the time zone of the schedule. Arrow keys move between days.
import { monthOf, type CalendarDay } from '@svc/shared/cron-month';
import { dueTime } from '@svc/shared/cron-words';
import { ChevronLeft, ChevronRight, Clock3 } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { serverNow } from '../../../live/server-clock.ts';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/IconButton.tsx';

interface ScheduleMonthProps {
  readonly schedule: string;
  readonly zone: string;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const LISTED_MAX = 2;

/** Days from a day to the one that a key moves to. */
const MOVES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`);
const dateText = (date: Date): string => date.toISOString().slice(0, 10);
const format = (date: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(midnight(date));

function moved(date: string, days: number): string {
  const next = midnight(date);
  next.setUTCDate(next.getUTCDate() + days);
  return dateText(next);
}

/** The same day of another month, or its last one. */
function movedMonth(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dateText(new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))));
}

export function ScheduleMonth({ schedule, zone }: ScheduleMonthProps) {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(serverNow());
  const [selected, setSelected] = useState(today);
  const grid = useRef<HTMLTableElement>(null);
  const [year = 0, month = 1] = selected.split('-').map(Number);
  const days = useMemo(() => monthOf({ schedule, time_zone: zone }, year, month), [schedule, zone, year, month]);
  const weeks = useMemo(() => weeksOf(days), [days]);
  const onKeyDown = (event: KeyboardEvent) => {
    const months = event.key === 'PageUp' ? -1 : event.key === 'PageDown' ? 1 : 0;
    const step = MOVES[event.key];
    if (step === undefined && months === 0) return;
    event.preventDefault();
    setSelected(step === undefined ? movedMonth(selected, months) : moved(selected, step));
    // The day that receives the focus is drawn first.
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  const title = format(selected, { month: 'long', year: 'numeric' });
  const day = days.find(({ date }) => date === selected);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h3 className="min-w-40 text-base font-medium">{title}</h3>
        <IconButton size="sm" label="Month before" icon={<ChevronLeft />} onClick={() => setSelected(movedMonth(selected, -1))} />
        <IconButton size="sm" label="Month after" icon={<ChevronRight />} onClick={() => setSelected(movedMonth(selected, 1))} />
      </div>
      <table ref={grid} role="grid" aria-label={`Due times in ${title}`} className="w-full table-fixed border-separate border-spacing-1">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name} className="pb-1 text-left text-sm font-normal text-muted">
                {name.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {weeks.map((week, i) => (
            <tr key={i}>
              {week.map((each, j) =>
                each ? (
                  <DayCell key={each.date} {...{ day: each, zone, today, selected }} onSelect={() => setSelected(each.date)} />
                ) : (
                  <td key={j} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status" className="text-sm text-muted">
        {day ? daySentence(day, zone) : `${format(selected, { day: 'numeric', month: 'long' })} does not exist in this time zone.`}
      </p>
    </div>
  );
}

interface DayCellProps {
  readonly day: CalendarDay;
  readonly zone: string;
  readonly today: string;
  readonly selected: string;
  readonly onSelect: () => void;
}

function DayCell({ day, zone, today, selected, onSelect }: DayCellProps) {
  const { date, fires, hours } = day;
  return (
    <td
      role="gridcell"
      tabIndex={date === selected ? 0 : -1}
      aria-selected={date === selected}
      aria-current={date === today ? 'date' : undefined}
      aria-label={daySentence(day, zone)}
      onClick={onSelect}
      onFocus={onSelect}
      className={cn(
        'h-14 cursor-pointer overflow-hidden rounded-md border px-1.5 py-1 align-top text-sm tabular-nums',
        fires > 0 ? 'border-border-strong/60 bg-sunken' : 'border-border/60',
        date === selected && 'border-accent outline-1 outline-accent',
      )}
    >
      <span className="flex items-center justify-between gap-1">
        <span className={cn(date === today ? 'font-semibold text-text underline decoration-2 underline-offset-2' : 'text-muted')}>
          {Number(date.slice(8))}
        </span>
        {hours !== 24 && (
          <span className="inline-flex items-center gap-0.5 text-warn">
            <Clock3 aria-hidden className="size-3" />
            {hours} h
          </span>
        )}
      </span>
      <span className="block truncate text-text">{fires > LISTED_MAX ? `${fires} ×` : timesText(day, zone)}</span>
    </td>
  );
}

const timesText = ({ times }: CalendarDay, zone: string): string =>
  times.map((at) => dueTime(new Date(at).toISOString(), zone).replace(/^.*, (\S+) .*$/, '$1')).join(' ');

/** `Tuesday 24 November: 288 due times, the first at 00:00 00:05 00:10.` */
function daySentence(day: CalendarDay, zone: string): string {
  const { date, fires, hours, times } = day;
  const name = format(date, { weekday: 'long', day: 'numeric', month: 'long' });
  const clocks = hours === 24 ? '' : ` Clocks change: the day has ${hours} hours.`;
  if (fires === 0) return `${name}: no due time.${clocks}`;
  if (fires === 1) return `${name}: due at ${timesText(day, zone)}.${clocks}`;
  return `${name}: ${fires} due times, ${fires > times.length ? 'the first ' : ''}at ${timesText(day, zone).replaceAll(' ', ', ')}.${clocks}`;
}

/** Rows of seven, from Monday; undefined where there is no day of the month. */
function weeksOf(days: readonly CalendarDay[]): (CalendarDay | undefined)[][] {
  const weeks: (CalendarDay | undefined)[][] = [];
  for (const day of days) {
    const column = (midnight(day.date).getUTCDay() + 6) % 7;
    if (column === 0 || weeks.length === 0) weeks.push(Array.from({ length: 7 }, () => undefined));
    const week = weeks.at(-1);
    if (week) week[column] = day;
  }
  return weeks;
}
