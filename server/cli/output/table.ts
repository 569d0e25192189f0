// Aligned plain-text tables.
import { padRight, textWidth } from './text-width.ts';

const GAP = '   ';

export interface TableStyle {
  readonly header: (text: string) => string;
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

/** `Key:   value` lines with the values in one column. */
export function fieldLines(fields: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...fields.map(([key]) => textWidth(key))) + 1;
  return fields.map(([key, value]) => `${padRight(`${key}:`, width)}${GAP}${value}`.trimEnd());
}
