// `svcctl get`: objects as a table, JSON, YAML, names or what a template makes of them; with -w, as they change.
import type { WatchItem } from '@svc/shared/api/watch';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource } from '@svc/shared/resource';
import { searchWords, snippetOf } from '@svc/shared/search-text';
import { wholeNumber, type CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Connection, Invocation, OutputFormat } from '../program/invocation.ts';
import { parsePath, parseTemplate, type JsonPath } from '../arguments/json-path.ts';
import { kindsText, objectWord, parseTargets, type NamedObject, type Targets } from '../arguments/kind-arguments.ts';
import { refuseWithNames } from '../arguments/target-keys.ts';
import { parseCustomColumns } from '../output/custom-columns.ts';
import { droppedFirst, resourceHeader, resourceName, resourceRow, resourceYaml, widestRow, type TableLayout } from '../output/resources.ts';
import { FittedTable } from '../output/table.ts';
import { MissingObjects } from '../api/missing-objects.ts';
import { getObject, listObjects } from '../api/resource-api.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { watchObjects } from '../api/watch-objects.ts';

const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath', 'custom-columns'] as const;

/** Title of the column of a search. */
const FOUND = 'FOUND';
const FOUND_CHARS = 60;

interface GetOptions {
  readonly selector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly search?: string | undefined;
  readonly nameContains?: string | undefined;
  readonly sort?: string | undefined;
  readonly sortBy?: JsonPath | undefined;
  readonly limit?: number | undefined;
  readonly showLabels?: boolean | undefined;
  readonly ignoreNotFound?: boolean | undefined;
  readonly watch?: boolean | undefined;
}

export const parseLimit = wholeNumber(/^[1-9]\d{0,8}$/, ' of at least 1');

export const setupGet: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND[,KIND…], all, KIND NAME… or KIND/NAME…')
    .option('-l, --selector <labels>', 'only objects whose labels match, such as tier=gold,env!=test')
    .option('--field-selector <fields>', 'only objects whose fields match, such as status.phase=Running')
    .option('--name-contains <text>', 'only objects whose names contain this text, in any case')
    .option('--search <words>', 'only tasks whose name, input, output or error has all these words, newest first')
    .option(
      '--sort <order>',
      'sort on the server by name or createdAt; tasks also by system, phase, completedAt, duration, tokens or cost, other kinds by columns such as spec.provider; a minus reverses: -cost',
    )
    .option('--sort-by <path>', 'sort by the values at a JSONPath, such as .metadata.createdAt', (path) => parsePath(path))
    .option('--limit <count>', 'at most this many objects of a kind', parseLimit)
    .option('--show-labels', 'print a column of labels')
    .option('--ignore-not-found', 'an object that does not exist is no error')
    .option('--no-headers', 'print tables without their titles')
    .option('-w, --watch', 'keep printing changes until Ctrl-C')
    .action((words, options) => run((invocation) => get(invocation, words, options)));
};

async function get(invocation: Invocation, words: readonly string[], options: GetOptions): Promise<void> {
  const target = parseTargets(words);
  const printer = new Printer(invocation, options);
  const connection = await invocation.connect();
  if (options.watch) return watch(invocation, { target, options, printer });
  if ('objects' in target) {
    const { selector, fieldSelector, search, nameContains } = options;
    refuseWithNames(invocation, { '-l': selector, '--field-selector': fieldSelector, '--search': search, '--name-contains': nameContains });
    const missing = new MissingObjects();
    const groups = await readNamed(connection, target.objects, missing);
    if (groups.length > 0) printer.print(groups, target.objects.length === 1);
    if (!options.ignoreNotFound) missing.report(invocation);
    return;
  }
  const unsearched = options.search === undefined ? [] : target.kinds.filter(({ search }) => search === undefined);
  if (unsearched.length > 0) throw usageError(`--search takes tasks; ${kindsText(unsearched)} cannot be searched`, 'leave them out');
  const groups = await Promise.all(target.kinds.map((kind) => readAll(invocation, { connection, kind, options })));
  const found = groups.filter(({ resources }) => resources.length > 0);
  if (found.length === 0 && printer.isTable) {
    const what = options.search === undefined ? '' : ' with these words';
    return invocation.note(`No ${kindsText(target.kinds)}${what} in ${invocation.where(connection.namespace)}.`);
  }
  printer.print(found, false);
}

interface KindGroup {
  readonly kind: KindDefinition;
  readonly resources: readonly Resource[];
}

interface ListRequest {
  readonly connection: Connection;
  readonly kind: KindDefinition;
  readonly options: GetOptions;
}

async function readAll(invocation: Invocation, { connection, kind, options }: ListRequest): Promise<KindGroup> {
  const resources: Resource[] = [];
  const filter = {
    namespace: invocation.allNamespaces ? '*' : connection.namespace,
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
    sort: options.sort,
    q: options.search,
    nameContains: options.nameContains,
    max: options.limit,
  };
  for await (const page of listObjects(connection.client, kind, filter)) resources.push(...page);
  return { kind, resources };
}

async function readNamed(
  { client, namespace }: Connection,
  objects: readonly NamedObject[],
  missing: MissingObjects,
): Promise<readonly KindGroup[]> {
  const groups = new Map<KindDefinition, Resource[]>();
  for (const { kind, name } of objects) {
    const resource = await missing.found(getObject(client, { kind, namespace, name }));
    if (resource) groups.set(kind, [...(groups.get(kind) ?? []), resource]);
  }
  return [...groups].map(([kind, resources]) => ({ kind, resources }));
}

/** Orders texts by their characters, numbers by size, and what has no value first. */
function sortedBy(resources: readonly Resource[], path: JsonPath | undefined): readonly Resource[] {
  if (!path) return resources;
  const rank = (value: unknown) => (value === undefined || value === null ? 0 : typeof value === 'number' ? 1 : 2);
  const compare = (a: unknown, b: unknown): number => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    const [first, second] = [String(a), String(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  };
  return resources
    .map((resource) => ({ resource, value: path(resource)[0] }))
    .sort((a, b) => compare(a.value, b.value))
    .map(({ resource }) => resource);
}

/** Objects in the requested format. Its templates are parsed before anything is read. */
class Printer {
  readonly #invocation: Invocation;
  readonly #format: OutputFormat;
  readonly #options: GetOptions;
  readonly #template: (root: unknown) => string;
  readonly #columns;

  constructor(invocation: Invocation, options: GetOptions) {
    this.#invocation = invocation;
    this.#options = options;
    this.#format = invocation.format(FORMATS);
    this.#template = this.#format === 'jsonpath' ? parseTemplate(invocation.template) : String;
    this.#columns = this.#format === 'custom-columns' ? parseCustomColumns(invocation.template) : undefined;
  }

  get isTable(): boolean {
    return this.#format === 'table' || this.#format === 'wide' || this.#format === 'custom-columns';
  }

  /** `single`: one object was named, which JSON and templates get as it is. */
  print(groups: readonly KindGroup[], single: boolean): void {
    const invocation = this.#invocation;
    const ordered = groups.map(({ kind, resources }) => ({ kind, resources: sortedBy(resources, this.#options.sortBy) }));
    const all = ordered.flatMap(({ resources }) => resources);
    if (this.#columns) return this.#table({ header: this.#columns.header, rows: all.map(this.#columns.row), drop: [] });
    if (this.#format === 'json') return invocation.out(JSON.stringify(single ? all[0] : all, null, 2));
    if (this.#format === 'yaml') return invocation.out(all.map(resourceYaml).join('\n---\n'));
    if (this.#format === 'name') return invocation.list(all.map(resourceName));
    if (this.#format === 'jsonpath') return this.#templateText(single ? all[0] : { items: all });
    const layout = this.#layout(groups.length > 1);
    ordered.forEach(({ kind, resources }, i) => {
      if (i > 0) invocation.out('');
      const found = this.#foundIn(kind);
      const rows = resources.map((resource) => [...resourceRow(kind, resource, layout), ...found.map((snippet) => snippet(resource))]);
      this.#table({ header: [...resourceHeader(kind, layout), ...found.map(() => FOUND)], rows, drop: droppedFirst(kind, layout) });
    });
  }

  /** The column of a search: the part of the text where it was found. */
  #foundIn({ search: searched }: KindDefinition): ((resource: Resource) => string)[] {
    const { search } = this.#options;
    if (search === undefined || !searched) return [];
    const words = searchWords(search);
    return [
      ({ metadata, spec, status }) => {
        const { name, generation } = metadata;
        const snippet = snippetOf(searched.textsOf({ name, generation, spec, status }), words, FOUND_CHARS);
        return snippet
          ? `${snippet.of}: ${snippet.parts
              .map(({ text }) => text)
              .join('')
              .replaceAll(/\s+/g, ' ')}`
          : '-';
      },
    ];
  }

  #templateText(root: unknown): void {
    const text = this.#template(root);
    if (text !== '') this.#invocation.out(text.replace(/\n$/, ''));
  }

  #table({ header, rows, drop }: { header: readonly string[]; rows: readonly (readonly string[])[]; drop: readonly string[] }): void {
    this.#invocation.table(header, rows, { wide: this.#format === 'wide', drop });
  }

  #layout(kindNames = false): TableLayout {
    const { allNamespaces: namespaces, style } = this.#invocation;
    return { namespaces, wide: this.#format === 'wide', kindNames, labels: this.#options.showLabels, nowMs: Date.now(), style };
  }

  /** Prints changes as they come. */
  watchPrinter(kind: KindDefinition): (items: readonly WatchItem[]) => void {
    const invocation = this.#invocation;
    if (this.#format === 'json') return (items) => invocation.list(items.map((item) => JSON.stringify(item)));
    if (this.#format === 'yaml')
      return (items) => invocation.list(items.map((item) => `---\n# ${changeOf(item)}\n${resourceYaml(item.resource)}`));
    if (this.#format === 'name') return (items) => invocation.list(items.map((item) => `${resourceName(item.resource)} ${changeOf(item)}`));
    if (this.#format === 'jsonpath') return (items) => items.forEach(({ resource }) => this.#templateText(resource));
    return this.#watchTable(kind);
  }

  #watchTable(kind: KindDefinition): (items: readonly WatchItem[]) => void {
    const invocation = this.#invocation;
    const columns = this.#format === 'wide' ? undefined : invocation.terminal.stdout.columns;
    const own = this.#columns;
    const table = new FittedTable(['CHANGE', ...(own?.header ?? resourceHeader(kind, this.#layout()))], {
      columns,
      drop: own ? [] : droppedFirst(kind, this.#layout()),
    });
    if (!own) table.measure([['', ...widestRow(kind, this.#layout())]]);
    let headed = !invocation.headers;
    return (items) => {
      const layout = this.#layout();
      const rows = items.map((item) => [changeOf(item), ...(own?.row(item.resource) ?? resourceRow(kind, item.resource, layout))]);
      table.measure(rows);
      if (!headed) invocation.out(invocation.style.dim(table.header()));
      headed = true;
      invocation.list(rows.map((row) => table.line(row)));
    };
  }
}

/** The watch has the objects at its start as created ones. */
const changeOf = ({ type, snapshot }: WatchItem): string => (snapshot ? 'existing' : type);

async function watch(
  invocation: Invocation,
  { target, options, printer }: { target: Targets; options: GetOptions; printer: Printer },
): Promise<void> {
  const [kind, ...others] = 'objects' in target ? target.objects.map((object) => object.kind) : target.kinds;
  if (!kind || others.length > 0) throw usageError('-w follows one kind or one object');
  if (options.fieldSelector) throw usageError('-w cannot be combined with --field-selector', 'select by labels with -l');
  if (options.search !== undefined) throw usageError('-w cannot be combined with --search', 'search without -w');
  if (options.nameContains !== undefined) throw usageError('-w cannot be combined with --name-contains', 'look for names without -w');
  const [given] = Object.entries({ 'sort-by': options.sortBy, sort: options.sort, limit: options.limit }).find(([, value]) => value) ?? [];
  if (given !== undefined) throw usageError(`-w cannot be combined with --${given}`, 'changes are printed as they come');
  const { client, namespace } = await invocation.connect();
  const print = printer.watchPrinter(kind);
  await untilInterrupted(invocation.terminal, async (signal) => {
    let snapshot: WatchItem[] | undefined = [];
    const name = 'objects' in target ? target.objects[0]?.name : undefined;
    const events = watchObjects(client, kind, {
      namespace: invocation.allNamespaces ? '*' : namespace,
      name,
      labelSelector: options.selector,
      signal,
      onLost: (error) => invocation.warn(`${error.message}; reconnecting`),
    });
    for await (const event of events) {
      if (event.type === 'resync') snapshot = [];
      else if (event.type === 'item' && snapshot) snapshot.push(event.item);
      else if (event.type === 'item') print([event.item]);
      else {
        if (name !== undefined && snapshot?.length === 0) invocation.note(`${objectWord(kind.kind, name)} does not exist; waiting for it`);
        print(snapshot ?? []);
        snapshot = undefined;
      }
    }
  });
}
