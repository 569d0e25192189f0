// Lists of records that are not resources, such as events and turns: as a table, as data, or by a template.
import type { Invocation } from '../program/invocation.ts';
import { parseTemplate } from '../arguments/json-path.ts';
import { parseCustomColumns } from './custom-columns.ts';
import { yamlText } from './data-text.ts';
import { FittedTable } from './table.ts';

export const LIST_FORMATS = ['table', 'wide', 'json', 'yaml', 'jsonpath', 'custom-columns'] as const;

interface ListColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

export interface ListLayout<Item> {
  readonly columns: readonly ListColumn<Item>[];
  /** Titles in the order in which a narrow terminal leaves them out. */
  readonly drop: readonly string[];
  /** Remark in place of an empty table. */
  readonly empty: string;
  /** Items arrive over time: each one is a JSON document of its own. */
  readonly live?: boolean | undefined;
}

/** A printer of all items, or with `live` of each batch of them. */
export function listPrinter<Item>(invocation: Invocation, layout: ListLayout<Item>): (items: readonly Item[]) => void {
  const format = invocation.format(LIST_FORMATS);
  const { live } = layout;
  if (format === 'json')
    return (items) => invocation.list(live ? items.map((item) => JSON.stringify(item)) : [JSON.stringify(items, null, 2)]);
  if (format === 'yaml') return (items) => invocation.list(items.flatMap((item) => ['---', yamlText(item)]));
  if (format === 'jsonpath') {
    const template = parseTemplate(invocation.template);
    const roots = (items: readonly Item[]): readonly unknown[] => (live ? items : [{ items }]);
    return (items) =>
      invocation.list(
        roots(items)
          .map((root) => template(root).replace(/\n$/, ''))
          .filter((text) => text !== ''),
      );
  }
  return tablePrinter(invocation, layout, format);
}

function tablePrinter<Item>(
  invocation: Invocation,
  { columns, drop, empty }: ListLayout<Item>,
  format: 'table' | 'wide' | 'custom-columns',
): (items: readonly Item[]) => void {
  const own = format === 'custom-columns' ? parseCustomColumns(invocation.template) : undefined;
  const shown = columns.filter(({ wide }) => !wide || format === 'wide');
  const width = format === 'wide' ? undefined : invocation.terminal.stdout.columns;
  const table = new FittedTable(own?.header ?? shown.map(({ title }) => title), { columns: width, drop: own ? [] : drop });
  let headed = !invocation.headers;
  let noted = false;
  return (items) => {
    if (items.length === 0) return invocation.note(empty);
    const rows = items.map((item) => own?.row(item) ?? shown.map(({ cell }) => cell(item)));
    table.measure(rows);
    if (!headed) invocation.out(invocation.style.dim(table.header()));
    headed = true;
    invocation.list(rows.map((row) => table.line(row)));
    if (!noted) invocation.noteDropped(table.dropped);
    noted ||= table.dropped.length > 0;
  };
}
