// Cuts rows of any size into batches that fit into memory and one statement. Pure.
import type { Row } from './tables.ts';

const BATCH_ROWS_MAX = 500;
const BATCH_CHARACTERS_MAX = 4 * 1024 * 1024;

function charactersOf(row: Row): number {
  return Object.values(row).reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0), 0);
}

export function* inBatches(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    characters += charactersOf(row);
    if (batch.length < BATCH_ROWS_MAX && characters < BATCH_CHARACTERS_MAX) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
