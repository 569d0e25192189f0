// No statement of the store scans a table or sorts rows of one: each is an index range, whatever the size of the tables and their statistics.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { makeItem, makeObject, seed, suiteIndex } from '../../testing/store-conformance/fixture.ts';
import type { RangeOrder } from '../list-ranges.ts';
import { SESSION_SETTINGS } from './client-config.ts';
import { openPostgresStore } from './open.ts';
import { allStatements } from './session.ts';
import { readPageSql, readSql } from './statements/changes.ts';
import { countSql, listSql } from './statements/lists.ts';

const BOOLEANS = [true, false];
const ORDERS: readonly RangeOrder[] = ['name', '-name', 'createdAt', '-createdAt', 'value', '-value'];
const CONTROL = /^(BEGIN|COMMIT|ROLLBACK)$/;
/** One row, which every commit of changes goes through. */
const ONE_ROW_TABLES: ReadonlySet<unknown> = new Set(['change_head']);
/** Indexes whose first entry is read: the first namespace of all, the oldest change. */
const FIRST_OF_INDEX: readonly unknown[] = ['objects_by_name', 'changes_pkey'];
/** Statements that sort few rows: the first candidates of each demand, the matches of one block of ids. */
const SMALL_SORTS = ['unnest($6::text[]) AS d (demand)', 'search_matches('];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

function listShapes(): string[] {
  return BOOLEANS.flatMap((byTerm) =>
    BOOLEANS.flatMap((inNamespace) =>
      BOOLEANS.flatMap((positioned) =>
        BOOLEANS.flatMap((filtered) =>
          BOOLEANS.filter((sized) => !sized || !filtered).flatMap((sized) =>
            ORDERS.map((order) => listSql({ byTerm, inNamespace, positioned, filtered, order, sized })),
          ),
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
  return filters.flatMap((columns) => BOOLEANS.flatMap((descending) => [readSql(columns, descending), readPageSql(columns, descending)]));
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Index columns in their order, by the name of the index. */
type IndexColumns = ReadonlyMap<string, readonly string[]>;

/** A column before a bound one is free: the scan reads every entry of the columns before it. */
function readsPastAGap({ 'Index Name': name = '', 'Index Cond': condition = '' }: Plan, columns: IndexColumns): boolean {
  const plain = (text: string) => text.replaceAll('lower(name)', 'folded_name');
  const isBound = (column: string) => new RegExp(`[( ]${plain(column)}[,) ]`).test(plain(condition));
  const bound = (columns.get(name) ?? []).map(isBound);
  return bound.includes(false) && bound.lastIndexOf(true) > bound.indexOf(false);
}

/** Defect of a plan: a scan of a table, of a whole index or past a gap of its columns, or a sort. */
function faults(sql: string, nodes: readonly Plan[], columns: IndexColumns): string[] {
  return nodes
    .filter((node) => {
      const type = node['Node Type'];
      if (type === 'Seq Scan') return !ONE_ROW_TABLES.has(node['Relation Name']);
      if (!type.startsWith('Index')) return type.includes('Sort') && !SMALL_SORTS.some((small) => sql.includes(small));
      if (node['Index Cond'] === undefined) return !FIRST_OF_INDEX.includes(node['Index Name']);
      return readsPastAGap(node, columns);
    })
    .map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}: ${sql}`);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(SESSION_SETTINGS);
  return client;
}

async function indexColumns(client: pg.Client): Promise<IndexColumns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(pg_get_indexdef(c.oid, a.attnum, true) ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind = 'i' AND c.relnamespace = to_regnamespace('svc') GROUP BY 1`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

describe.skipIf(withoutPostgres('query plans'))('query plans', () => {
  let server: PostgresServer;
  let client: pg.Client;
  /** Uses a database without rows or statistics: connections keep plans from that time. */
  let fresh: pg.Client;

  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url, clock: systemClock, ...suiteIndex });
    await seed(
      store,
      Array.from({ length: 300 }, (_, i) =>
        makeObject({ name: `t-${i}`, labels: { n: `${i % 3}` }, spec: { sortValues: { cost: `${i % 100}` }, text: `w${i}` } }),
      ),
    );
    await store.transaction(async (tx) => {
      await tx.indexTexts({ objects: 300, bytes: 1_000_000 });
      for (let i = 0; i < 50; i += 1) await tx.enqueueWork(makeItem({ key: `k-${i}` }));
    });
    await store.close();
    client = await connect(url);
    await client.query('ANALYZE');
    const empty = await server.createDatabase();
    await (await openPostgresStore({ url: empty, clock: systemClock })).close();
    fresh = await connect(empty);
  });
  afterAll(async () => {
    await Promise.all([client.end(), fresh.end()]);
    await server.remove();
  });

  /** The plan that a prepared statement keeps, whatever its values. */
  async function planOf(sql: string, on = client): Promise<Plan[]> {
    const parameters = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
    await on.query(`PREPARE probe AS ${sql}`);
    try {
      const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`;
      const { rows } = await on.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (FORMAT JSON) EXECUTE probe${values}`);
      return (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan: plan }) => nodesOf(plan));
    } finally {
      await on.query('DEALLOCATE probe');
    }
  }

  it.each(['with statistics', 'without rows and statistics'])('read and write by index range only, and sort nothing, %s', async (state) => {
    const on = state === 'with statistics' ? client : fresh;
    const columns = await indexColumns(on);
    const statements = [...allStatements().map(({ text }) => text), ...listShapes(), ...countShapes(), ...changeShapes()].filter(
      (sql) => !CONTROL.test(sql),
    );
    const offending: string[] = [];
    for (const sql of statements) offending.push(...faults(sql, await planOf(sql, on), columns));
    expect(statements.length).toBeGreaterThan(90);
    expect(offending).toEqual([]);
  });

  it('read words by their index', async () => {
    const { rows } = await client.query<{ source: string }>(`SELECT prosrc AS source FROM pg_proc WHERE proname = 'search_matches'`);
    await client.query('SET enable_bitmapscan = on');
    const nodes = await planOf((rows[0]?.source ?? '').replace('terms', '$1::tsquery'));
    await client.query('SET enable_bitmapscan = off');
    expect(nodes.map((node) => node['Index Name'])).toContain('search_words_by_word');
  });

  it('read a list by the index that holds its order, down to the cursor', async () => {
    const scan = async (byTerm: boolean, inNamespace: boolean, order: RangeOrder) => {
      const nodes = await planOf(listSql({ byTerm, inNamespace, order, positioned: true, filtered: false, sized: false }));
      const found = nodes.find((node) => node['Node Type'] === 'Index Scan' || node['Node Type'] === 'Index Only Scan');
      return `${found?.['Index Name']} ${found?.['Index Cond']}`;
    };
    expect(await scan(false, true, 'name')).toMatch(/^objects_by_name .*name > /);
    expect(await scan(false, false, 'createdAt')).toMatch(/^objects_by_created .*ROW\(created_at, namespace, name\) > ROW/);
    expect(await scan(false, true, '-createdAt')).toMatch(/^objects_by_namespace_created .*ROW\(created_at, name\) < ROW/);
    expect(await scan(true, true, 'name')).toMatch(/^object_terms_pkey .*name > /);
    expect(await scan(true, true, '-createdAt')).toMatch(/^object_terms_by_namespace_created .*ROW\(created_at, name\) < ROW/);
    expect(await scan(true, false, '-createdAt')).toMatch(/^object_terms_by_created .*ROW\(created_at, namespace, name\) < ROW/);
    expect(await scan(false, false, '-value')).toMatch(/^sort_values_pkey .*ROW\(value, namespace, name\) < ROW/);
    expect(await scan(false, true, 'value')).toMatch(/^sort_values_by_namespace .*ROW\(value, name\) > ROW/);
  });
});
