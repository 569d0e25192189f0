// Aligned plain-text tables.
import { oneLine, padRight, textWidth } from './text-width.ts';

const GAP = '   ';

/** No column is cut below this many columns of the terminal. */
const COLUMN_MIN = 12;

export interface TableStyle {
  readonly header: (text: string) => string;
}

/** The rows cut to fit `columns`, widest column first; the first `whole` columns (what names the row) and coloured cells stay as they are. */
export function fitRows(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, whole }: { columns: number; whole: number },
): string[][] {
  const widths = header.map((title, column) => Math.max(textWidth(title), ...rows.map((row) => textWidth(row[column] ?? ''))));
  const fixed = (column: number) => column < whole || rows.some((row) => (row[column] ?? '').includes('\u001b'));
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;
  for (; excess > 0; excess -= 1) {
    const candidates = widths.map((width, column) => (fixed(column) || width <= COLUMN_MIN ? 0 : width));
    const widest = candidates.indexOf(Math.max(...candidates));
    if (candidates[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return rows.map((row) => row.map((cell, column) => (fixed(column) ? cell : oneLine(cell, widths[column] ?? 0))));
}

/** Lines of a table whose columns are as wide as their widest cell; the last column is not padded. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[], style?: TableStyle): string[] {
  const widths = header.map((title, column) => Math.max(textWidth(title), ...rows.map((row) => textWidth(row[column] ?? ''))));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === header.length - 1 ? cell : padRight(cell, widths[i] ?? 0)))
      .join(GAP)
      .trimEnd();
  const head = line(header);
  return [style ? style.header(head) : head, ...rows.map(line)];
}

/** `Key:   value` lines with the values in one column; further lines of a value stand below its first. */
export function fieldLines(fields: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...fields.map(([key]) => textWidth(key))) + 1;
  const below = `\n${' '.repeat(width)}${GAP}`;
  return fields.map(([key, value]) => `${padRight(`${key}:`, width)}${GAP}${value.trimEnd().replaceAll('\n', below)}`.trimEnd());
}
