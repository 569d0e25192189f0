// `svcctl schedule`: schedules with their next due time and last outcome, due times of a schedule or of a cron line, a run at once, backfill, suspend and resume.
import { cronProblem, firesAfter, timeZoneProblem, type CronClock } from '@svc/shared/cron/cron';
import { dueTime, describeSchedule } from '@svc/shared/cron/cron-description';
import { kindByName } from '@svc/shared/kinds';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { taskSchedule } from '@svc/shared/kinds/task-schedule/index';
import { SLOTS_COUNTED_MAX, type SchedulePreview, type SlotRecord } from '@svc/shared/api/schedules';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import { ApiError, type ApiClient } from '../api/client.ts';
import type { CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { taskWord } from '../arguments/kind-arguments.ts';
import { handleFromWord } from '../arguments/named-argument.ts';
import { LIST_FORMATS, listPrinter } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { cellText, relativeTime } from '../output/resources.ts';
import { age } from '../output/time.ts';
import { getObject, listObjects, sendAbout, type ObjectHandle } from '../api/resource-api.ts';
import { addBackfill } from './schedule-backfill.ts';
import { addSuspension } from './suspension.ts';

const SCHEDULE_HELP = 'name of the schedule';
const COUNT_DEFAULT = 5;
/** Bound of the server's preview. */
const COUNT_MAX = 1_000;
/** Runs whose outcome is read at the same time. */
const READS_AT_ONCE = 8;

interface PreviewOptions {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly count?: string | undefined;
}

export const setupSchedule: CommandSetup = (command, run) => {
  command
    .command('list')
    .description('list schedules in words, with the next due time and the last outcome')
    .option('--no-headers', 'print the table without its titles')
    .action(() => run(list));
  command
    .command('preview')
    .description('list the next due times of a schedule, or of a cron line')
    .argument('[schedule]', SCHEDULE_HELP)
    .option('--cron <expression>', 'five fields, in place of a schedule; needs no server')
    .option('--time-zone <zone>', 'IANA time zone of --cron (default: UTC)')
    .option('--count <number>', `how many, at most ${COUNT_MAX} (default: ${COUNT_DEFAULT})`)
    .option('--no-headers', 'print the table without its titles')
    .action((word, options) => run((invocation) => preview(invocation, word, options)));
  command
    .command('history')
    .description('list the outcomes of the newest slots: the run of each, or why it left none')
    .argument('<schedule>', SCHEDULE_HELP)
    .option('--no-headers', 'print the table without its titles')
    .action((word) => run((invocation) => history(invocation, word)));
  command
    .command('trigger')
    .description('run a schedule now, suspended or not')
    .argument('<schedule>', SCHEDULE_HELP)
    .action((word) => run((invocation) => trigger(invocation, word)));
  addBackfill(command, run, { argument: SCHEDULE_HELP, handleOf });
  addSuspension(command, run, {
    kind: taskSchedule,
    handleOf,
    argument: 'schedule',
    names: 'names of the schedules',
    suspend: 'stop new runs of schedules; started runs continue',
    resume: 'let suspended schedules run at their next due time',
  });
};

const handleOf = (invocation: Invocation, word: string): Promise<ObjectHandle> => handleFromWord(invocation, taskSchedule, word);

interface ScheduleRecord {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly words: string;
  readonly next: string | null;
  readonly last_task: string | null;
  /** Phase of the run, `deleted`, or null before the first one. */
  readonly last_outcome: string | null;
  readonly problem: string | null;
}

async function list(invocation: Invocation): Promise<void> {
  const now = Date.now();
  const print = listPrinter<ScheduleRecord>(invocation, {
    columns: [
      ...(invocation.allNamespaces ? [{ title: 'NAMESPACE', cell: (each: ScheduleRecord) => each.namespace }] : []),
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'STATE', cell: ({ phase }) => phase },
      { title: 'WHEN', cell: ({ words }) => words },
      { title: 'NEXT', cell: ({ next }) => (next === null ? '-' : relativeTime(next, now)) },
      { title: 'LAST', cell: (each) => cellText(each.last_outcome) },
      { title: 'PROBLEM', cell: ({ problem }) => cellText(problem) },
      { title: 'LAST TASK', cell: (each) => cellText(each.last_task), wide: true },
      { title: 'NEXT TIME', cell: ({ next }) => cellText(next), wide: true },
    ],
    drop: ['PROBLEM', 'STATE', 'WHEN', 'LAST'],
    empty: 'No schedules.',
  });
  const { client, namespace } = await invocation.connect();
  const found: ScheduleRecord[] = [];
  for await (const page of listObjects(client, taskSchedule, { namespace: invocation.allNamespaces ? '*' : namespace }))
    for (let i = 0; i < page.length; i += READS_AT_ONCE)
      found.push(...(await Promise.all(page.slice(i, i + READS_AT_ONCE).map((schedule) => recordOf(client, schedule)))));
  print(found);
}

async function recordOf(client: ApiClient, schedule: Resource): Promise<ScheduleRecord> {
  const status = statusOf('TaskSchedule', schedule);
  const { namespace, name } = schedule.metadata;
  const last = status.lastTriggeredTask ?? null;
  return {
    ...{ namespace, name, phase: status.phase ?? 'Pending', words: describeSchedule(specOf('TaskSchedule', schedule)) },
    ...{ next: status.nextScheduleTime ?? null, last_task: last, problem: status.lastError ?? null },
    last_outcome: last === null ? null : await outcomeOf(client, last),
  };
}

async function outcomeOf(client: ApiClient, task: string): Promise<string> {
  const [namespace = '', name = ''] = task.split('/');
  const kind = kindByName('Task') as KindDefinition;
  try {
    return statusOf('Task', await getObject(client, { kind, namespace, name })).phase ?? 'Pending';
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'deleted';
    throw error;
  }
}

async function preview(invocation: Invocation, word: string | undefined, options: PreviewOptions): Promise<void> {
  invocation.format(LIST_FORMATS);
  const count = countOf(options.count);
  const now = Date.now();
  const print = (zone: string, items: readonly string[]): void =>
    listPrinter<{ readonly time: string; readonly local: string }>(invocation, {
      columns: [
        { title: 'DUE', cell: ({ local }) => local },
        { title: 'IN', cell: ({ time }) => relativeTime(time, now).replace(/^in /, '') },
        { title: 'UTC', cell: ({ time }) => time },
      ],
      drop: ['UTC'],
      empty: 'No due times.',
    })(items.map((time) => ({ time, local: dueTime(time, zone) })));
  const clock = clockOf(word, options);
  if (clock) {
    invocation.note(invocation.errorStyle.dim(describeSchedule(clock)));
    return print(clock.time_zone, firesAfter(clock, now, count).map(timeText));
  }
  const { client, key } = await handleOf(invocation, word ?? '');
  const spec = specOf('TaskSchedule', await getObject(client, key));
  const { time_zone: zone, items } = await sendAbout<SchedulePreview>(client, key, { method: 'GET', below: 'preview', query: { count } });
  const suspended = spec.suspend === true ? '; suspended: it would run at these times' : '';
  invocation.note(invocation.errorStyle.dim(`${describeSchedule(spec)}${suspended}`));
  print(zone, items);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  started: 'started',
  held_back: 'held back',
  missed: 'missed',
  suspended: 'suspended',
  failed: 'failed',
  backfilled: 'backfilled',
};

async function history(invocation: Invocation, word: string): Promise<void> {
  const now = Date.now();
  const print = listPrinter<SlotRecord>(invocation, {
    columns: [
      { title: 'SLOT', cell: ({ slot }) => slot ?? 'by hand' },
      { title: 'AGE', cell: ({ time }) => age(time, now) },
      { title: 'OUTCOME', cell: ({ outcome, count, phase }) => outcomeText(outcome, count, phase) },
      { title: 'TASK', cell: ({ task }) => cellText(task) },
      { title: 'REASON', cell: ({ reason }) => cellText(reason) },
    ],
    drop: ['AGE', 'REASON'],
    empty: 'No slots yet.',
  });
  const { client, key } = await handleOf(invocation, word);
  print((await sendAbout<{ readonly items: readonly SlotRecord[] }>(client, key, { method: 'GET', below: 'slots' })).items);
}

function outcomeText(outcome: string, count: number, phase: string | null): string {
  const text = OUTCOMES[outcome] ?? outcome;
  const more = count >= SLOTS_COUNTED_MAX ? ' or more' : '';
  return `${phase ?? text}${count > 1 ? ` (${count}${more})` : ''}`;
}

const timeText = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** The clock of --cron; undefined when a schedule is named. */
function clockOf(word: string | undefined, { cron, timeZone }: PreviewOptions): CronClock | undefined {
  if ((word === undefined) === (cron === undefined)) throw usageError('name a schedule, or give a cron line with --cron');
  if (cron === undefined) {
    if (timeZone !== undefined) throw usageError('--time-zone belongs to --cron; a schedule has its own time zone');
    return undefined;
  }
  const clock = { schedule: cron, time_zone: timeZone ?? 'UTC' };
  const problem = cronProblem(clock.schedule);
  if (problem !== undefined) throw usageError(`--cron ${problem}`);
  const zoneProblem = timeZoneProblem(clock.time_zone);
  if (zoneProblem !== undefined) throw usageError(`--time-zone ${zoneProblem}`);
  return clock;
}

function countOf(text: string | undefined): number {
  if (text === undefined) return COUNT_DEFAULT;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > COUNT_MAX) throw usageError(`--count must be a number from 1 to ${COUNT_MAX}, not "${text}"`);
  return count;
}

async function trigger(invocation: Invocation, word: string): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const { client, key } = await handleOf(invocation, word);
  const body = await sendAbout<{ readonly task: string }>(client, key, { method: 'POST', below: 'trigger' });
  printRecord(invocation, body, { name: taskWord(body.task), table: () => invocation.out(`${taskWord(body.task)} created`) });
}
