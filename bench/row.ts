// One line of the benchmark table.

export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same work done by the reference, measured in the same run. */
  readonly reference?: number;
  /** Name of the reference. */
  readonly referenceName?: string;
  /** value / reference. */
  readonly ratio?: number;
  readonly note?: string;
}

/** A row beside its reference. */
export function compared(row: Omit<Row, 'ratio'> & { reference: number }): Row {
  return { ...row, ratio: row.value / row.reference };
}

/** The p-th percentile (0 to 100) of unsorted samples, nearest rank. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil((p / 100) * sorted.length) - 1))] ?? Number.NaN;
}
