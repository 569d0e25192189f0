// How benchmarks report: one table on the terminal, the same as JSON in bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import type { Row } from './row.ts';

const figure = (value: number | undefined) =>
  value === undefined ? '' : value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 3 : value < 100 ? 1 : 0 });

function print(rows: readonly Row[]): void {
  const table = new Table({
    head: ['what', 'value', 'unit', 'reference', '', 'ratio', 'note'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'left', 'right', 'left', 'right'],
  });
  for (const row of rows) {
    table.push([
      row.name,
      figure(row.value),
      row.unit,
      figure(row.reference),
      row.referenceName ?? '',
      row.ratio?.toFixed(2) ?? '',
      row.note ?? '',
    ]);
  }
  console.log(table.toString());
}

/** Prints the rows and writes them to `bench/results/<file>`. */
export function report(rows: readonly Row[], file: string): void {
  print(rows);
  const dir = join(import.meta.dirname, 'results');
  mkdirSync(dir, { recursive: true });
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  writeFileSync(join(dir, file), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
}
