// `svcctl events`: what happened to objects, oldest first; with -w, as it happens.
import { Option } from '@commander-js/extra-typings';
import type { EventRecord } from '@svc/shared/api/watch';
import type { CommandSetup } from '../command-setup.ts';
import type { ApiClient } from '../client.ts';
import type { Invocation } from '../invocation.ts';
import { parseTemplate } from '../json-path.ts';
import { namedTarget, objectWord, type NamedObject } from '../kind-arguments.ts';
import { parseCustomColumns } from '../output/custom-columns.ts';
import { yamlText } from '../output/data-text.ts';
import { FittedTable } from '../output/table.ts';
import { age } from '../output/time.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { parseDurationFlag } from '../wait-for.ts';
import { watchEvents, type EventFilter } from '../watch-objects.ts';
import { parseLimit } from './get.ts';

const FORMATS = ['table', 'wide', 'json', 'yaml', 'jsonpath', 'custom-columns'] as const;
const PAGE_MAX = 500;
/** Events shown where neither --limit nor --since says how many. */
const LIMIT_DEFAULT = 100;

interface EventsOptions {
  readonly for?: NamedObject | undefined;
  readonly type?: string | undefined;
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly headers?: boolean | undefined;
  readonly watch?: boolean | undefined;
}

export const setupEvents: CommandSetup = (command, run) => {
  command
    .addOption(new Option('--for <object>', 'only events about KIND/NAME').argParser((word) => namedTarget([word])))
    .option('--type <type>', 'only events of this type, such as task.claimed')
    .option('--since <duration>', 'only events of this last time, such as 10m or 2d', parseDurationFlag)
    .option('--limit <count>', `only the newest ones (default: ${LIMIT_DEFAULT}, or all with --since)`, parseLimit)
    .option('--no-headers', 'print the table without its titles')
    .option('-w, --watch', 'go on printing events until Ctrl-C')
    .action((options) => run((invocation) => events(invocation, options)));
};

async function events(invocation: Invocation, options: EventsOptions): Promise<void> {
  const print = eventPrinter(invocation, options);
  const { client, namespace } = await invocation.connect();
  const filter: EventFilter = {
    namespace: invocation.allNamespaces ? '*' : namespace,
    kind: options.for?.kind.kind,
    name: options.for?.name,
    type: options.type,
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

function eventPrinter(invocation: Invocation, options: EventsOptions): (items: readonly EventRecord[]) => void {
  const format = invocation.format(FORMATS);
  const { watch } = options;
  if (format === 'json')
    return (items) => invocation.out(...(watch ? items.map((item) => JSON.stringify(item)) : [JSON.stringify(items, null, 2)]));
  if (format === 'yaml') return (items) => invocation.out(...items.flatMap((item) => ['---', yamlText(item)]));
  if (format === 'jsonpath') {
    const template = parseTemplate(invocation.template);
    const roots = (items: readonly EventRecord[]): readonly unknown[] => (watch ? items : [{ items }]);
    return (items) =>
      invocation.out(
        ...roots(items)
          .map((root) => template(root).replace(/\n$/, ''))
          .filter((text) => text !== ''),
      );
  }
  return tablePrinter(invocation, { headers: options.headers, wide: format === 'wide', custom: format === 'custom-columns' });
}

function tablePrinter(
  invocation: Invocation,
  { headers, wide, custom }: { headers: boolean | undefined; wide: boolean; custom: boolean },
): (items: readonly EventRecord[]) => void {
  const own = custom ? parseCustomColumns(invocation.template) : undefined;
  const all = invocation.allNamespaces;
  const header = own?.header ?? ['AGE', ...(all ? ['NAMESPACE'] : []), 'TYPE', 'OBJECT', ...(wide ? ['SOURCE'] : []), 'MESSAGE'];
  const rowOf = (event: EventRecord): readonly string[] => [
    age(event.timestamp, Date.now()),
    ...(all ? [event.namespace || '-'] : []),
    event.type,
    objectWord(event.kind, event.name),
    ...(wide ? [event.source] : []),
    event.message,
  ];
  const columns = wide ? undefined : invocation.terminal.stdout.columns;
  const table = new FittedTable(header, { columns, drop: own ? [] : ['NAMESPACE'] });
  let headed = headers === false;
  return (items) => {
    if (items.length === 0) return invocation.note('No events.');
    const rows = items.map((event) => own?.row(event) ?? rowOf(event));
    table.measure(rows);
    if (!headed) invocation.out(invocation.style.dim(table.header()));
    headed = true;
    invocation.out(...rows.map((row) => table.line(row)));
  };
}
