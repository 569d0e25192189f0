// Aligned plain-text tables.
import { OWN_STYLE } from './style.ts';
import { oneLine, padRight, textWidth, wrapped } from './text-width.ts';

const GAP = '   ';

/** No cell is cut below this many columns of the terminal while another column can be left out, or at all. */
const COLUMN_MIN = { whileOthersGo: 16, last: 8 };

export interface TableStyle {
  readonly header: (text: string) => string;
}

export interface TableFit {
  /** Columns of the terminal; undefined leaves everything whole. */
  readonly columns: number | undefined;
  /** Titles in the order in which columns are left out when cutting cells is not enough. */
  readonly drop: readonly string[];
}

type Cells = readonly string[];

const isStyled = (cell: string): boolean => cell.search(OWN_STYLE) >= 0;
/** A cell is one line; styled ones are words of ours. */
const flat = (cell: string): string => (isStyled(cell) ? cell : oneLine(cell, Number.POSITIVE_INFINITY));
const total = (widths: readonly number[]): number => {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, GAP.length * (shown.length - 1));
};

/** Takes from the widest of the columns that may shrink until the sum fits, or nothing more may go. */
function shrink(
  widths: readonly number[],
  { columns, least }: { columns: number; least: number },
  mayShrink: (column: number) => boolean,
): number[] {
  const result = [...widths];
  for (let excess = total(result) - columns; excess > 0; excess -= 1) {
    const candidates = result.map((width, column) => (mayShrink(column) && width > least ? width : 0));
    const widest = candidates.indexOf(Math.max(...candidates));
    if (candidates[widest] === 0) break;
    result[widest] = (result[widest] ?? 0) - 1;
  }
  return result;
}

/** A table that may grow line by line: columns keep the widest cell seen, as far as the terminal has room. */
export class FittedTable {
  readonly #header: Cells;
  readonly #fit: TableFit;
  /** Widest cell of each column, and whether it must stay whole. */
  readonly #natural: number[];
  readonly #fixed: boolean[];
  #widths: readonly number[] = [];

  /** The first column names the row: it is cut last. */
  constructor(header: Cells, fit: TableFit) {
    this.#header = header;
    this.#fit = fit;
    this.#natural = header.map((title) => textWidth(title));
    this.#fixed = header.map(() => false);
    this.#refit();
  }

  /** Makes room for rows, which need not be printed. */
  measure(rows: readonly Cells[]): void {
    for (const row of rows) {
      row.forEach((cell, column) => {
        this.#natural[column] = Math.max(this.#natural[column] ?? 0, textWidth(flat(cell)));
        this.#fixed[column] ||= isStyled(cell);
      });
    }
    this.#refit();
  }

  /** Titles of columns that the terminal has no room for. */
  get dropped(): readonly string[] {
    return this.#header.filter((_title, column) => this.#widths[column] === 0);
  }

  header(): string {
    return this.line(this.#header);
  }

  line(cells: Cells): string {
    const shown = cells.flatMap((cell, column) => {
      const width = this.#widths[column] ?? 0;
      return width === 0 ? [] : [padRight(isStyled(cell) ? cell : oneLine(cell, width, column === 0), width)];
    });
    return shown.join(GAP).trimEnd();
  }

  #refit(): void {
    const { columns, drop } = this.#fit;
    this.#widths = this.#natural;
    if (columns === undefined) return;
    const kept = [...this.#natural];
    const order = [...drop];
    const rest = (column: number) => column > 0 && !this.#fixed[column];
    for (;;) {
      this.#widths = shrink(kept, { columns, least: COLUMN_MIN.whileOthersGo }, rest);
      if (total(this.#widths) <= columns) return;
      const next = order.shift();
      if (next === undefined) break;
      const column = this.#header.indexOf(next);
      if (column > 0) kept[column] = 0;
    }
    const tight = { columns, least: COLUMN_MIN.last };
    this.#widths = shrink(shrink(this.#widths, tight, rest), tight, (column) => column === 0);
  }
}

/** Lines of a table, and the titles of columns that were left out. */
export function fittedLines(
  header: Cells,
  rows: readonly Cells[],
  fit: TableFit & { style: TableStyle },
): { lines: string[]; dropped: readonly string[] } {
  const table = new FittedTable(header, fit);
  table.measure(rows);
  return { lines: [fit.style.header(table.header()), ...rows.map((row) => table.line(row))], dropped: table.dropped };
}

/** `Key:   value` lines with the values in one column; further lines of a value, and words past `columns`, are printed below its first. */
export function fieldLines(fields: readonly (readonly [string, string])[], columns?: number): string[] {
  const width = Math.max(0, ...fields.map(([key]) => textWidth(key))) + 1;
  const indent = width + GAP.length;
  return fields.flatMap(([key, value]) => {
    const lines = value
      .trimEnd()
      .split('\n')
      .flatMap((line) => wrappedLine(line, columns === undefined ? undefined : Math.max(COLUMN_MIN.last, columns - indent)));
    return lines.map((line, i) => `${padRight(i === 0 ? `${key}:` : '', width)}${GAP}${line}`.trimEnd());
  });
}

function wrappedLine(line: string, width: number | undefined): string[] {
  if (width === undefined || textWidth(line) <= width) return [line];
  // A word that is too long by itself is broken.
  return wrapped(line, width).flatMap((part) =>
    textWidth(part) <= width ? [part] : (part.match(new RegExp(`.{1,${width}}`, 'gu')) ?? []),
  );
}
