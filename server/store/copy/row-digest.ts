// A checksum over the rows of a table that does not depend on their order.
import { createHash } from 'node:crypto';
import type { Row, Table } from './tables.ts';

const WORDS = [0, 4, 8, 12] as const;

/** Adds up 128 bits of each row's hash: rows missing, doubled or changed by even one character give another sum. */
export class RowDigest {
  readonly #table: Table;
  readonly #sums = new Uint32Array(WORDS.length);
  #rows = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  add(row: Row): void {
    const cells = this.#table.columns.map(({ name, type }) => {
      const cell = row[name] ?? null;
      // Engines write the same number in different ways.
      return type === 'text' || cell === null ? cell : Number(cell);
    });
    const hash = createHash('sha256').update(JSON.stringify(cells)).digest();
    WORDS.forEach((offset, i) => (this.#sums[i] = (this.#sums[i] ?? 0) + hash.readUInt32LE(offset)));
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  get value(): string {
    return [...this.#sums].map((sum) => sum.toString(16).padStart(8, '0')).join('');
  }
}
