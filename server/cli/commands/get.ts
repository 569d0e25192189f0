// `svcctl get`: objects as a table, JSON, YAML or names; with -w, as they change.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { WatchItem } from '@svc/shared/api/watch';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../command-setup.ts';
import { usageError } from '../exit-codes.ts';
import type { Connection, Invocation, OutputFormat } from '../invocation.ts';
import { parseTargets, type NamedObject } from '../kind-arguments.ts';
import { droppedFirst, resourceHeader, resourceName, resourceRow, resourceYaml, widestRow, type TableLayout } from '../output/resources.ts';
import { FittedTable } from '../output/table.ts';
import { getObject, listObjects } from '../resource-api.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { watchObjects } from '../watch-objects.ts';

const FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;

interface GetOptions {
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  readonly watch?: boolean | undefined;
}

const parseLimit = (value: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(value);
};

export const setupGet: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND, KIND NAME… or KIND/NAME…')
    .option('-l, --selector <labels>', 'only objects whose labels match, such as tier=gold,env!=test')
    .option('--field-selector <fields>', 'only objects whose fields match, such as status.phase=Running')
    .option('--sort <order>', 'createdAt or -createdAt (tasks and sessions)')
    .option('--limit <count>', 'at most this many objects', parseLimit)
    .option('-w, --watch', 'go on printing changes until Ctrl-C')
    .action((words, options) => run((invocation) => get(invocation, words, options)));
};

const layoutOf = (invocation: Invocation, format: OutputFormat): TableLayout => ({
  namespaces: invocation.allNamespaces,
  wide: format === 'wide',
  nowMs: Date.now(),
  style: invocation.style,
});

async function get(invocation: Invocation, words: readonly string[], options: GetOptions): Promise<void> {
  const target = parseTargets(words);
  const connection = await invocation.connect();
  if (options.watch) return watch(invocation, target, options);
  if ('objects' in target) return getNamed(invocation, connection, target.objects);
  const resources: Resource[] = [];
  const filter = {
    namespace: invocation.allNamespaces ? '*' : connection.namespace,
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
  };
  for await (const page of listObjects(connection.client, target.kind, { ...filter, sort: options.sort, max: options.limit }))
    resources.push(...page);
  const format = invocation.format(FORMATS);
  if (resources.length === 0 && (format === 'table' || format === 'wide')) {
    const where = invocation.allNamespaces ? 'any namespace' : `namespace ${connection.namespace}`;
    return invocation.note(`No ${target.kind.plural} in ${where}.`);
  }
  printAll(invocation, [{ kind: target.kind, resources }], format === 'json' ? { format, single: false } : { format });
}

async function getNamed(invocation: Invocation, connection: Connection, objects: readonly NamedObject[]): Promise<void> {
  const { client, namespace } = connection;
  const found = await Promise.all(
    objects.map(async ({ kind, name }) => ({ kind, resources: [await getObject(client, { kind, namespace, name })] })),
  );
  const groups = new Map<KindDefinition, Resource[]>();
  for (const { kind, resources } of found) groups.set(kind, [...(groups.get(kind) ?? []), ...resources]);
  const format = invocation.format(FORMATS);
  printAll(
    invocation,
    [...groups].map(([kind, resources]) => ({ kind, resources })),
    { format, single: found.length === 1 },
  );
}

interface KindGroup {
  readonly kind: KindDefinition;
  readonly resources: readonly Resource[];
}

function printAll(invocation: Invocation, groups: readonly KindGroup[], how: { format: OutputFormat; single?: boolean }): void {
  const all = groups.flatMap((group) => group.resources);
  switch (how.format) {
    case 'json':
      return invocation.out(JSON.stringify(how.single ? all[0] : all, null, 2));
    case 'yaml':
      return invocation.out(all.map(resourceYaml).join('\n---\n'));
    case 'name':
      return invocation.out(...all.map(resourceName));
    default: {
      const layout = layoutOf(invocation, how.format);
      groups.forEach(({ kind, resources }, i) => {
        if (i > 0) invocation.out('');
        const rows = resources.map((resource) => resourceRow(kind, resource, layout));
        invocation.table(resourceHeader(kind, layout), rows, { wide: layout.wide, drop: droppedFirst(kind, layout) });
      });
      return;
    }
  }
}

function watchPrinter(invocation: Invocation, kind: KindDefinition, format: OutputFormat): (items: readonly WatchItem[]) => void {
  if (format === 'json') return (items) => invocation.out(...items.map((item) => JSON.stringify(item)));
  if (format === 'yaml') return (items) => invocation.out(...items.map((item) => `---\n# ${item.type}\n${resourceYaml(item.resource)}`));
  if (format === 'name') return (items) => invocation.out(...items.map((item) => `${resourceName(item.resource)} ${item.type}`));
  const layout = layoutOf(invocation, format);
  const columns = layout.wide ? undefined : invocation.terminal.stdout.columns;
  const table = new FittedTable(['CHANGE', ...resourceHeader(kind, layout)], { columns, drop: droppedFirst(kind, layout) });
  table.measure([['', ...widestRow(kind, layout)]]);
  let headed = false;
  return (items) => {
    const rows = items.map((item) => ['' + item.type, ...resourceRow(kind, item.resource, layoutOf(invocation, format))]);
    table.measure(rows);
    if (!headed) invocation.out(invocation.style.dim(table.header()));
    headed = true;
    invocation.out(...rows.map((row) => table.line(row)));
  };
}

async function watch(
  invocation: Invocation,
  target: { kind: KindDefinition } | { objects: NamedObject[] },
  options: GetOptions,
): Promise<void> {
  if ('objects' in target && target.objects.length !== 1) throw usageError('-w follows one kind or one object');
  if (options.fieldSelector) throw usageError('-w cannot be combined with --field-selector', 'select by labels with -l');
  const { client, namespace } = await invocation.connect();
  const object = 'objects' in target ? target.objects[0] : undefined;
  const kind = object?.kind ?? (target as { kind: KindDefinition }).kind;
  const print = watchPrinter(invocation, kind, invocation.format(FORMATS));
  await untilInterrupted(invocation.terminal, async (signal) => {
    let snapshot: WatchItem[] | undefined = [];
    const events = watchObjects(client, kind, {
      namespace: invocation.allNamespaces ? '*' : namespace,
      name: object?.name,
      labelSelector: options.selector,
      signal,
      onLost: (error) => invocation.warn(`${error.message}; reconnecting`),
    });
    for await (const event of events) {
      if (event.type === 'resync') snapshot = [];
      else if (event.type === 'item' && snapshot) snapshot.push(event.item);
      else if (event.type === 'item') print([event.item]);
      else {
        print(snapshot ?? []);
        snapshot = undefined;
      }
    }
  });
}
