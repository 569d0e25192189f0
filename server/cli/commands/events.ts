// `svcctl events`: what happened to objects, oldest first; with -w, as it happens.
import { Option } from '@commander-js/extra-typings';
import type { EventRecord } from '@svc/shared/api/watch';
import type { CommandSetup } from '../program/command-setup.ts';
import type { ApiClient } from '../api/client.ts';
import type { Invocation } from '../program/invocation.ts';
import { namedTarget, objectWord, type NamedObject } from '../arguments/kind-arguments.ts';
import { listPrinter } from '../output/list-printer.ts';
import { age } from '../output/time.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { parseDurationFlag } from '../api/wait-for.ts';
import { watchEvents, type EventFilter } from '../api/watch-objects.ts';
import { parseLimit } from './get.ts';

const PAGE_MAX = 500;
/** Events shown where neither --limit nor --since says how many. */
const LIMIT_DEFAULT = 100;

interface EventsOptions {
  readonly for?: NamedObject | undefined;
  readonly type?: string | undefined;
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly heartbeats?: boolean | undefined;
  readonly watch?: boolean | undefined;
}

export const setupEvents: CommandSetup = (command, run) => {
  command
    .addOption(new Option('--for <object>', 'only events about KIND/NAME').argParser((word) => namedTarget([word])))
    .option('--type <type>', 'only events of this type, such as task.claimed, or of several with commas between them')
    .option('--since <duration>', 'only events of this last time, such as 10m or 2d', parseDurationFlag)
    .option('--limit <count>', `only the newest ones (default: ${LIMIT_DEFAULT}, or all with --since)`, parseLimit)
    .option('--heartbeats', 'the heartbeats of workers too')
    .option('--no-headers', 'print the table without its titles')
    .option('-w, --watch', 'keep printing events until Ctrl-C')
    .action((options) => run((invocation) => events(invocation, options)));
};

async function events(invocation: Invocation, options: EventsOptions): Promise<void> {
  const print = eventPrinter(invocation, options.watch);
  const { client, namespace } = await invocation.connect();
  const filter: EventFilter = {
    namespace: invocation.allNamespaces ? '*' : namespace,
    kind: options.for?.kind.kind,
    name: options.for?.name,
    type: options.type,
    ...(!options.heartbeats && { heartbeats: false }),
  };
  // Events that come while the list is read are newer than this one; the watch begins behind it.
  const [head] = options.watch ? (await readPage(client, { namespace: '*' }, { limit: 1 })).items : [];
  const past = await newestEvents(client, filter, options);
  if (past.length > 0 || !options.watch) print(past);
  if (!options.watch) return;
  const printed = Number(past.at(-1)?.id ?? 0);
  await untilInterrupted(invocation.terminal, async (signal) => {
    const onLost = (error: Error) => invocation.warn(`${error.message}; reconnecting`);
    for await (const event of watchEvents(client, filter, { since: head?.id, signal, onLost }))
      if (Number(event.id) > printed) print([event]);
  });
}

interface EventPage {
  readonly items: readonly EventRecord[];
  readonly continue?: string;
}

async function readPage(client: ApiClient, filter: EventFilter, page: { limit: number; after?: string | undefined }): Promise<EventPage> {
  const query = { ...filter, ...page, sort: '-createdAt' };
  return (await client.send<EventPage>({ method: 'GET', path: '/v1/events', query })).body;
}

/** The newest events of the filter, the oldest of them first. */
async function newestEvents(client: ApiClient, filter: EventFilter, { since, limit }: EventsOptions): Promise<EventRecord[]> {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.now() - since;
  const most = limit ?? (since === undefined ? LIMIT_DEFAULT : Number.POSITIVE_INFINITY);
  const found: EventRecord[] = [];
  let after: string | undefined;
  do {
    const page = await readPage(client, filter, { limit: Math.min(PAGE_MAX, most - found.length), after });
    const recent = page.items.filter(({ timestamp }) => Date.parse(timestamp) >= from);
    found.push(...recent);
    after = recent.length < page.items.length || found.length >= most ? undefined : page.continue;
  } while (after !== undefined);
  return found.reverse();
}

function eventPrinter(invocation: Invocation, watch: boolean | undefined): (items: readonly EventRecord[]) => void {
  const namespaces = { title: 'NAMESPACE', cell: ({ namespace }: EventRecord) => namespace || '-' };
  return listPrinter<EventRecord>(invocation, {
    columns: [
      { title: 'AGE', cell: ({ timestamp }) => age(timestamp, Date.now()) },
      ...(invocation.allNamespaces ? [namespaces] : []),
      { title: 'TYPE', cell: ({ type }) => type },
      { title: 'OBJECT', cell: ({ kind, name }) => objectWord(kind, name) },
      { title: 'SOURCE', cell: ({ source }) => source, wide: true },
      { title: 'MESSAGE', cell: ({ message }) => message },
    ],
    drop: ['NAMESPACE'],
    empty: 'No events.',
    live: watch,
  });
}
