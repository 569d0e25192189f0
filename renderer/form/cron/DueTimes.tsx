// Cron line in plain words, with its next due times in its own time zone and in the browser's.
import { cronProblem, firesAfter, timeZoneProblem } from '@svc/shared/cron/cron';
import { dueTime, describeSchedule } from '@svc/shared/cron/cron-description';
import { useMemo } from 'react';
import { useNow } from '../../ui/status/clock.ts';
import { VisuallyHidden } from '../../ui/layout/VisuallyHidden.tsx';

const SHOWN = 10;

/** Nothing for a line or a zone that is not valid: their fields say why. */
export function DueTimes({ schedule, zone }: { readonly schedule: string; readonly zone: string }) {
  const now = useNow(60_000);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const times = useMemo(() => {
    if (cronProblem(schedule) !== undefined || timeZoneProblem(zone) !== undefined) return undefined;
    return firesAfter({ schedule, time_zone: zone }, now, SHOWN).map((at) => new Date(at).toISOString());
  }, [schedule, zone, now]);
  if (!times) return null;
  const words = describeSchedule({ schedule, time_zone: zone });
  return (
    <div className="flex flex-col gap-2 rounded-md border border-border bg-sunken px-3 py-2">
      <p role="status" className="text-base font-medium">
        {words.charAt(0).toUpperCase() + words.slice(1)}
      </p>
      <table className="w-full text-left text-sm tabular-nums">
        <caption>
          <VisuallyHidden>Next due times</VisuallyHidden>
        </caption>
        <thead className="text-muted">
          <tr>
            <th scope="col" className="pr-4 pb-1 font-normal">
              Next in {zone}
            </th>
            {own !== zone && (
              <th scope="col" className="pb-1 font-normal">
                In this browser, {own}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {times.map((at) => (
            <tr key={at}>
              <td className="pr-4">{dueTime(at, zone)}</td>
              {own !== zone && <td className="text-muted">{dueTime(at, own)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
