// The runs that schedules will start next.
import { describeSchedule } from '@svc/shared/cron/cron-description';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { kindAddress, objectAddress } from '../../navigation/addresses.ts';
import { specOf, statusOf } from '../../kinds/read.ts';
import { api } from '../../live/api.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { QueryState } from '../../ui/feedback/QueryState.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { capitalized } from '../../ui/text/capitalized.ts';
import { Time } from '../../ui/status/Time.tsx';

const READ_MAX = 200;
const SHOWN_MAX = 5;

export interface NextSchedulesProps {
  readonly scope: string;
  readonly namespace: string | undefined;
}

export function NextSchedules({ scope, namespace }: NextSchedulesProps) {
  const input = { kind: 'TaskSchedule', ...(namespace !== undefined && { namespace }), limit: READ_MAX };
  const query = useQuery(api.resources.list.queryOptions(input));
  const next = useMemo(
    () =>
      (query.data?.items ?? [])
        .flatMap((object) => {
          const at = Date.parse(statusOf('TaskSchedule', object).nextScheduleTime ?? '');
          return Number.isFinite(at) ? [{ ...object.metadata, at, words: describeSchedule(specOf('TaskSchedule', object)) }] : [];
        })
        .sort((a, b) => a.at - b.at),
    [query.data],
  );
  const all = query.data?.items.length ?? 0;
  return (
    <Card
      title="Next by schedule"
      flush
      actions={
        all > 0 && (
          <Link href={kindAddress(scope, 'TaskSchedule')} className="text-sm">
            All schedules
          </Link>
        )
      }
    >
      <QueryState query={query} title="The schedules could not be loaded" skeleton="w-2/3" className="m-4" />
      {query.data && next.length === 0 && (
        <p className="px-4 py-3 text-muted">
          {all === 0 ? 'No schedules.' : 'No upcoming runs. Schedules may be paused.'}{' '}
          {all === 0 && <Link href={kindAddress(scope, 'TaskSchedule')}>About schedules</Link>}
        </p>
      )}
      <ul className="divide-y divide-border/60">
        {next.slice(0, SHOWN_MAX).map(({ uid, namespace: home, name, at, words }) => (
          <li key={uid} className="flex items-center gap-3 px-4 py-2">
            <span className="min-w-0 flex-1">
              <Link
                href={objectAddress({ kind: 'TaskSchedule', namespace: home, name }, scope)}
                look="quiet"
                className="block truncate font-medium"
              >
                {name}
              </Link>
              <span className="block truncate text-sm text-muted">{capitalized(words)}</span>
            </span>
            <Time at={at} className="text-muted" />
          </li>
        ))}
      </ul>
      {query.data?.continue !== undefined && <p className="px-4 py-2 text-sm text-muted">Of the first {READ_MAX} schedules.</p>}
    </Card>
  );
}
