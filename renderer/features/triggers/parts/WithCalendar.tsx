// List of a kind that is due at times, with a calendar in its place on request. Lists of other kinds stay as they are.
import type { Resource } from '@svc/shared/resource';
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { choiceParam, useSearchState } from '../../../navigation/search-state.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';

interface CalendarProps {
  readonly rows: readonly Resource[];
  readonly hasMore: boolean;
}

/** Loaded on demand, with the rules of cron. */
const CALENDARS: Readonly<Record<string, ComponentType<CalendarProps>>> = {
  TaskSchedule: lazyPart<CalendarProps>(async () => (await import('./SchedulesCalendar.tsx')).SchedulesCalendar),
};

const PARAMS = { view: choiceParam(['list', 'calendar']) };
const VIEWS = [
  { value: 'list', label: 'List' },
  { value: 'calendar', label: 'Calendar' },
] as const;

/** Choice between the list and the calendar, where a kind has one. */
export function CalendarSwitch({ kind }: { readonly kind: string }) {
  const [{ view }, setState] = useSearchState(PARAMS);
  if (!Object.hasOwn(CALENDARS, kind)) return null;
  return <SegmentedControl label="View" value={view} segments={VIEWS} onChange={(next) => setState({ view: next })} />;
}

interface WithCalendarProps extends CalendarProps {
  readonly kind: string;
  /** The list. */
  readonly children: ReactNode;
}

export function WithCalendar({ kind, children, ...rows }: WithCalendarProps) {
  const [{ view }] = useSearchState(PARAMS);
  const Calendar = Object.hasOwn(CALENDARS, kind) ? CALENDARS[kind] : undefined;
  if (!Calendar || view === 'list') return children;
  return (
    <div className="min-h-0 overflow-y-auto px-6 pb-6 max-sm:px-4">
      <Suspense fallback={<Skeleton className="h-80" />}>
        <Calendar {...rows} />
      </Suspense>
    </div>
  );
}
