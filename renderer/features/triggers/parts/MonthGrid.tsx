// A month as a grid of days, of which one is selected. Arrow keys move between days, Page Up and Page Down between months.
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { cn } from '../../../ui/cn.ts';
import { focusRendered } from '../../../ui/focus-rendered.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { formatDay, moved, movedMonth, weeksOf } from '../model/month.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export interface DayContent {
  /** The day in one sentence. */
  readonly sentence: string;
  /** Whether anything is due. */
  readonly due: boolean;
  /** Beside the number of the day. */
  readonly mark?: ReactNode;
  readonly children?: ReactNode;
}

export interface MonthGridProps<Day extends { readonly date: string }> {
  readonly days: readonly Day[];
  /** `2026-11-24`. */
  readonly today: string;
  readonly selected: string;
  readonly onSelect: (date: string) => void;
  readonly contentOf: (day: Day) => DayContent;
  /** At the end of the line with the month. */
  readonly aside?: ReactNode;
}

export function MonthGrid<Day extends { readonly date: string }>(props: MonthGridProps<Day>) {
  const { days, today, selected, onSelect, contentOf, aside } = props;
  const grid = useRef<HTMLTableElement>(null);
  const title = formatDay(selected, { month: 'long', year: 'numeric' });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayOfKey(event.key, selected);
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
    // The day that receives the focus is drawn first.
    focusRendered(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]'));
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-40 text-base font-medium">{title}</h3>
        <IconButton size="sm" label="Month before" icon={<ChevronLeft />} onClick={() => onSelect(movedMonth(selected, -1))} />
        <IconButton size="sm" label="Month after" icon={<ChevronRight />} onClick={() => onSelect(movedMonth(selected, 1))} />
        {aside}
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
          {weeksOf(days).map((week, i) => (
            <tr key={i}>
              {week.map((day, j) =>
                day ? (
                  <DayCell key={day.date} date={day.date} {...{ today, selected, onSelect }} content={contentOf(day)} />
                ) : (
                  <td key={j} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Days from a day to the one that a key moves to. */
const MOVES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function dayOfKey(key: string, selected: string): string | undefined {
  if (key === 'PageUp' || key === 'PageDown') return movedMonth(selected, key === 'PageUp' ? -1 : 1);
  const days = Object.hasOwn(MOVES, key) ? MOVES[key] : undefined;
  return days === undefined ? undefined : moved(selected, days);
}

interface DayCellProps {
  readonly date: string;
  readonly today: string;
  readonly selected: string;
  readonly onSelect: (date: string) => void;
  readonly content: DayContent;
}

function DayCell({ date, today, selected, onSelect, content: { sentence, due, mark, children } }: DayCellProps) {
  return (
    <td
      role="gridcell"
      tabIndex={date === selected ? 0 : -1}
      aria-selected={date === selected}
      aria-current={date === today ? 'date' : undefined}
      aria-label={sentence}
      onClick={() => onSelect(date)}
      onFocus={() => onSelect(date)}
      className={cn(
        'h-14 cursor-pointer overflow-hidden rounded-md border px-1.5 py-1 align-top text-sm tabular-nums',
        due ? 'border-border-strong/60 bg-sunken' : 'border-border/60',
        date === selected && 'border-accent outline-1 outline-accent',
      )}
    >
      <span className="flex items-center justify-between gap-1">
        <span className={cn(date === today ? 'font-semibold text-text underline decoration-2 underline-offset-2' : 'text-muted')}>
          {Number(date.slice(8))}
        </span>
        {mark}
      </span>
      {children}
    </td>
  );
}
