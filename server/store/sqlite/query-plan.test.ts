// No statement of the store scans a table or sorts rows: each is an index range, whatever the size of the tables.
import { expect, it } from 'vitest';
import type { RangeOrder } from '../list-ranges.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { countSql, listSql, versionsSql } from './statements/lists.ts';
import { readSql } from './statements/changes.ts';
import { prepareTopics } from './statements/topics.ts';

const BOOLEANS = [true, false];
const ORDERS: readonly RangeOrder[] = ['name', '-name', 'createdAt', '-createdAt', 'value', '-value'];
/** SQLite's own one-row-per-table bookkeeping of AUTOINCREMENT; it has no index and needs none. */
const TINY_TABLE = 'SCAN sqlite_sequence';
/** The index of words in the order of its ids. */
const WORDS = 'SCAN search_words VIRTUAL TABLE INDEX';
/** The rows of a bounded range, examined one by one. */
const BOUNDED = /^SCAN \(subquery-\d+\)$/;

function listShapes(): string[] {
  return BOOLEANS.flatMap((byTerm) =>
    BOOLEANS.flatMap((inNamespace) =>
      BOOLEANS.flatMap((positioned) =>
        BOOLEANS.flatMap((filtered) =>
          ORDERS.flatMap((order) => {
            const shape = { byTerm, inNamespace, positioned, filtered, order, sized: !filtered };
            return [listSql(shape), ...(filtered ? [] : [versionsSql(shape)])];
          }),
        ),
      ),
    ),
  );
}

function countShapes(): string[] {
  return BOOLEANS.flatMap((byTerm) =>
    BOOLEANS.flatMap((inNamespace) => BOOLEANS.map((positioned) => countSql({ byTerm, inNamespace, positioned }))),
  );
}

function changeShapes(): string[] {
  const filters = [[], ['kind'], ['namespace'], ['kind', 'namespace'], ['kind', 'namespace', 'name']];
  return filters.flatMap((columns) => BOOLEANS.map((descending) => readSql(columns, descending)));
}

/** Every statement the store prepares, seen on its way to the connection. */
function preparedBy(connection: Connection): string[] {
  const seen: string[] = [];
  const recording: Connection = {
    ...connection,
    prepare<Row>(sql: string) {
      seen.push(sql);
      return connection.prepare<Row>(sql);
    },
  };
  prepareTopics(recording, { nowMs: () => 0, index: {} });
  return seen;
}

function planOf(connection: Connection, sql: string): string[] {
  return connection
    .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((step) => step.detail);
}

it('reads and writes by index range only, and sorts nothing', () => {
  const connection = openConnection(':memory:', 'off');
  migrate(connection, migrations);
  const statements = [...preparedBy(connection), ...listShapes(), ...countShapes(), ...changeShapes()];
  const offending = statements.flatMap((sql) =>
    planOf(connection, sql)
      .filter(
        (step) =>
          (step.startsWith('SCAN') && step !== TINY_TABLE && !step.startsWith(WORDS) && !BOUNDED.test(step)) ||
          step.includes('TEMP B-TREE'),
      )
      .map((step) => `${step}: ${sql}`),
  );
  connection.close();
  expect(statements.length).toBeGreaterThan(80);
  expect(offending).toEqual([]);
});

it('finds names by an index that holds all it needs', () => {
  const connection = openConnection(':memory:', 'off');
  migrate(connection, migrations);
  const plans = preparedBy(connection)
    .filter((sql) => sql.startsWith('SELECT namespace, name FROM'))
    .map((sql) => planOf(connection, sql).find((step) => step.startsWith('SEARCH')));
  connection.close();
  expect(plans).toEqual(
    [
      'objects_by_folded_name (kind=? AND <expr>>? AND <expr><?)',
      'objects_by_name (kind=? AND namespace=? AND name>? AND name<?)',
      ...['objects_by_created (kind=?)', 'objects_by_namespace_created (kind=? AND namespace=?)'],
      ...['objects_by_created (kind=?)', 'objects_by_namespace_created (kind=? AND namespace=?)'],
    ].map((index) => `SEARCH objects USING COVERING INDEX ${index}`),
  );
});

it('reads a list by the index that holds its order, down to the cursor', () => {
  const connection = openConnection(':memory:', 'off');
  migrate(connection, migrations);
  const plan = (byTerm: boolean, inNamespace: boolean, order: RangeOrder) =>
    planOf(connection, listSql({ byTerm, inNamespace, order, positioned: true, filtered: false, sized: false }))[0];
  expect(plan(false, true, 'name')).toContain('objects_by_name (kind=? AND namespace=? AND name>?)');
  expect(plan(false, false, 'createdAt')).toContain('objects_by_created (kind=? AND (created_at,namespace,name)>(?,?,?))');
  expect(plan(false, true, '-createdAt')).toContain('objects_by_namespace_created (kind=? AND namespace=? AND (created_at,name)<(?,?))');
  expect(plan(true, true, 'name')).toContain('(kind=? AND term=? AND value=? AND namespace=? AND name>?)');
  expect(plan(true, true, '-createdAt')).toContain('object_terms_by_namespace_created');
  expect(plan(true, false, '-createdAt')).toContain('object_terms_by_created');
  expect(plan(false, false, '-value')).toContain('(kind=? AND field=? AND (value,namespace,name)<(?,?,?))');
  const count = (byTerm: boolean, inNamespace: boolean) => planOf(connection, countSql({ byTerm, inNamespace, positioned: true })).join();
  expect(count(true, true)).toContain('COVERING INDEX object_terms_by_namespace_created');
  expect(count(true, false)).toContain('COVERING INDEX object_terms_by_created');
  expect(count(false, true)).toContain('(kind=? AND namespace=? AND (created_at,name)>(?,?))');
  expect(plan(false, true, 'value')).toContain('sort_values_by_namespace (kind=? AND field=? AND namespace=? AND (value,name)>(?,?))');
  connection.close();
});
