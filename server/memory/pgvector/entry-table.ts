// The table of a Memory in its PostgreSQL: its name, its creation and upgrade, and the column and index of its vectors.
import { createHash } from 'node:crypto';
import { CallError } from '../../engine/ports.ts';
import { memoryTitle, wrongDimensions, type MemoryTarget } from '../backend.ts';
import type { Query } from './connections.ts';

export interface EntryTable {
  /** Quoted for use in statements. */
  readonly name: string;
  /** Length of its vectors; undefined before the first one. */
  readonly dimensions: number | undefined;
}

/** Version of the columns, in the comment of the table. */
const FORMAT = 1;
const FORMAT_TEXT = /^agent-orchestration-service memory format (\d+): /;
/** Serialises what creates and changes tables, across processes. */
const SETUP_LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('agent-orchestration-service memories', 0))`;
/** The index takes vectors of this length, and of that one with half of the precision. */
const INDEXED_MAX = 2_000;
const INDEXED_HALF_MAX = 4_000;
const DIMENSIONS_MAX = 16_000;

/**
 * Name of the table, quoted. The uid is part of it: a Memory that is created again is empty, and servers that share a database share no entries.
 * The readable part is for the people who look after the database.
 */
function tableName({ namespace, name, uid }: Pick<MemoryTarget, 'namespace' | 'name' | 'uid'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([namespace, name, uid]))
    .digest('hex')
    .slice(0, 16);
  return `"svc_memory_${readable(namespace, 12)}_${readable(name, 20)}_${hash}"`;
}

const readable = (text: string, length: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '_')
    .slice(0, length);

/** The table, created when it is not there. */
export async function openTable(query: Query, target: MemoryTarget): Promise<EntryTable> {
  const name = tableName(target);
  const known = await readTable(query, name, target);
  if (known) return known;
  await inTransaction(query, async () => {
    await query(SETUP_LOCK);
    await requireExtension(query, target);
    await query(`CREATE TABLE IF NOT EXISTS ${name} (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, raw bytea)`);
    await query(
      `COMMENT ON TABLE ${name} IS ${literal(`agent-orchestration-service memory format ${FORMAT}: ${target.namespace}/${target.name}`)}`,
    );
  });
  return { name, dimensions: undefined };
}

/** The same table with a column for vectors of this length. Throws CallError `memory_wrong_dimensions` when it holds others. */
export async function withVectors(
  query: Query,
  target: MemoryTarget,
  { table, length }: { table: EntryTable; length: number },
): Promise<EntryTable> {
  const { name } = table;
  const dimensions = table.dimensions ?? (await addVectors(query, target, { name, length }));
  if (dimensions === length) return { name, dimensions };
  throw wrongDimensions(target, { held: dimensions, sent: length });
}

export async function dropTable(query: Query, target: MemoryTarget): Promise<void> {
  await query(`DROP TABLE IF EXISTS ${tableName(target)}`);
}

/** Type and expression by which vectors of this length are compared; the index is made for the same. */
export function comparedBy(dimensions: number): { readonly expression: string; readonly type: string } {
  const halved = dimensions > INDEXED_MAX && dimensions <= INDEXED_HALF_MAX;
  return halved
    ? { expression: `(vector::halfvec(${dimensions}))`, type: `halfvec(${dimensions})` }
    : { expression: 'vector', type: 'vector' };
}

export async function inTransaction<T>(query: Query, work: () => Promise<T>): Promise<T> {
  await query('BEGIN');
  try {
    const value = await work();
    await query('COMMIT');
    return value;
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function readTable(query: Query, name: string, target: MemoryTarget): Promise<EntryTable | undefined> {
  const [row] = await query<{ present: boolean; comment: string | null; dimensions: number | null }>(
    `SELECT to_regclass($1) IS NOT NULL AS present, obj_description(to_regclass($1), 'pg_class') AS comment,
       (SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'vector' AND NOT attisdropped) AS dimensions`,
    [name],
  );
  if (row?.present !== true) return undefined;
  const format = Number(FORMAT_TEXT.exec(row.comment ?? '')?.[1] ?? FORMAT);
  if (format <= FORMAT) return { name, dimensions: row.dimensions ?? undefined };
  const message = `${memoryTitle(target)}: its table ${name} was written by a later version of this service; start that version`;
  throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'memory_unusable' });
}

interface Extension {
  readonly schema: string;
  readonly usable: boolean;
  readonly recent: boolean;
}

const EXTENSION = `SELECT nspname AS schema, has_schema_privilege(n.oid, 'USAGE') AS usable,
    EXISTS (SELECT FROM pg_type WHERE typnamespace = n.oid AND typname = 'halfvec') AS recent
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector'`;

/** The extension, created when it is not there. */
async function requireExtension(query: Query, target: MemoryTarget): Promise<void> {
  const refused = (problem: string) =>
    new CallError('runtime_policy_invalid', `${memoryTitle(target)}: its database server ${problem}`, {
      retryable: false,
      reason: 'memory_extension',
    });
  const read = async () => (await query<Extension>(EXTENSION))[0];
  let extension = await read();
  if (!extension) {
    const offered = await query(`SELECT FROM pg_available_extensions WHERE name = 'vector'`);
    if (offered.length === 0) throw refused('does not have the extension pgvector; install it there');
    await query('CREATE EXTENSION IF NOT EXISTS vector');
    extension = await read();
  }
  if (!extension?.recent) throw refused('has pgvector before 0.7; install a later one and run ALTER EXTENSION vector UPDATE');
  if (!extension.usable) throw refused(`has pgvector in the schema ${extension.schema}; grant USAGE on that schema to the login`);
}

/** Length of the vectors of the column, which another process may have added meanwhile. */
async function addVectors(query: Query, target: MemoryTarget, { name, length }: { name: string; length: number }): Promise<number> {
  if (length > DIMENSIONS_MAX) {
    const message = `${memoryTitle(target)}: its embedding model sent ${length} dimensions, and pgvector stores at most ${DIMENSIONS_MAX}; use another model`;
    throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'memory_wrong_dimensions' });
  }
  return inTransaction(query, async () => {
    await query(SETUP_LOCK);
    const added = (await readTable(query, name, target))?.dimensions;
    if (added !== undefined) return added;
    // The column goes with its extension, which may have been dropped.
    await requireExtension(query, target);
    await query(`ALTER TABLE ${name} ADD COLUMN vector vector(${length})`);
    if (length <= INDEXED_HALF_MAX) {
      const { expression } = comparedBy(length);
      await query(`CREATE INDEX ON ${name} USING hnsw (${expression} ${length > INDEXED_MAX ? 'halfvec' : 'vector'}_cosine_ops)`);
    }
    return length;
  });
}

/** Names hold letters, digits, dots, dashes and underscores; the quotes are doubled all the same. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
