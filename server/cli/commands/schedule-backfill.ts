// `svcctl schedule backfill`: runs of a schedule for its due times of a past range.
import type { Command } from '@commander-js/extra-typings';
import { BACKFILL_MAX, type BackfillSlot, type ScheduleBackfill } from '@svc/shared/api/schedules';
import { instantOf } from '@svc/shared/cron/cron';
import { dueTime } from '@svc/shared/cron/cron-description';
import { specOf } from '@svc/shared/kinds/read';
import { parseRfc3339 } from '@svc/shared/rfc3339';
import { usageError } from '../program/exit-codes.ts';
import type { Run } from '../program/command-setup.ts';
import type { Invocation } from '../program/invocation.ts';
import { getObject, sendAbout, type ObjectHandle } from '../api/resource-api.ts';
import { listPrinter } from '../output/list-printer.ts';
import { cellText } from '../output/resources.ts';

interface BackfillOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun?: boolean | undefined;
}

type HandleOf = (invocation: Invocation, word: string) => Promise<ObjectHandle>;

export function addBackfill(
  command: Command,
  run: Run,
  { argument, handleOf }: { readonly argument: string; readonly handleOf: HandleOf },
): void {
  command
    .command('backfill')
    .description(`start the runs that are missing in a past range, at most ${BACKFILL_MAX}`)
    .argument('<schedule>', argument)
    .requiredOption('--from <time>', 'beginning of the range, RFC 3339 or a day')
    .requiredOption('--to <time>', 'end of the range, which belongs to it, RFC 3339 or a day')
    .option('--dry-run', 'list the due times with their runs, starting nothing')
    .option('--no-headers', 'print the table without its titles')
    .action((word, options) => run((invocation) => backfill(invocation, { word, handleOf, options })));
}

async function backfill(
  invocation: Invocation,
  { word, handleOf, options }: { readonly word: string; readonly handleOf: HandleOf; readonly options: BackfillOptions },
): Promise<void> {
  let zone = 'UTC';
  const print = listPrinter<BackfillSlot>(invocation, {
    columns: [
      { title: 'DUE', cell: ({ slot }) => dueTime(slot, zone) },
      { title: 'UTC', cell: ({ slot }) => slot },
      { title: 'RUN', cell: ({ task, created }) => (created ? 'created' : task === null ? 'missing' : 'exists') },
      { title: 'TASK', cell: ({ task }) => cellText(task) },
    ],
    drop: ['UTC'],
    empty: 'No due times in the range.',
  });
  const [begin, end] = [momentOf('--from', options.from), momentOf('--to', options.to)];
  const { client, key } = await handleOf(invocation, word);
  zone = specOf('TaskSchedule', await getObject(client, key)).time_zone;
  const [from, to] = [begin(zone).first, end(zone).last];
  const request = options.dryRun ? ({ method: 'GET', query: { from, to } } as const) : ({ method: 'POST', body: { from, to } } as const);
  const found = await sendAbout<ScheduleBackfill>(client, key, { ...request, below: 'backfill' });
  print(found.items);
  if (found.unrecorded_before !== null)
    invocation.warn(`slots handled before ${found.unrecorded_before} have no record: one whose run was deleted counts as missing`);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

/** First and last moment that a text means, RFC 3339: a day is one of the zone, and today ends now. */
type Moments = (zone: string) => { readonly first: string; readonly last: string };

function momentOf(flag: string, text: string): Moments {
  const wall = DAY.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : undefined;
  if (wall === undefined) {
    if (parseRfc3339(text) !== undefined) return () => ({ first: text, last: text });
    throw usageError(`${flag} must be an RFC 3339 time such as 2026-11-24T08:30:00Z, or a day such as 2026-11-24, not "${text}"`);
  }
  return (zone) => {
    const [first, after] = [instantOf(zone, wall), instantOf(zone, wall + DAY_MS)];
    if (first === undefined || after === undefined) throw usageError(`${flag} names a day at which clocks of ${zone} skip a day`);
    const last = first <= Date.now() ? Math.min(after - 1, Date.now()) : after - 1;
    return { first: new Date(first).toISOString(), last: new Date(last).toISOString() };
  };
}
