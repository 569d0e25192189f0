// Parts of a copy: every table of the store with its columns, and the conversions of values. Pure.

type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

interface Column {
  readonly name: string;
  /** PostgreSQL's type, for the arrays rows are sent in. */
  readonly type: 'text' | 'bigint' | 'double precision';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The row as it goes into the target. */
  readonly adapt?: (row: Row) => Row;
  /** The column whose numbers PostgreSQL generates; it must continue after the highest copied. */
  readonly numbered?: string;
}

const columns = (type: Column['type'], ...names: readonly string[]): Column[] => names.map((name) => ({ name, type }));

/** The process that held the leases has ended: waiting for their expiry would only delay its work. The next claim is a takeover, as after any other end. */
function endLease(row: Row): Row {
  return row['owner'] === null ? row : { ...row, lease_until: 0, ready: 0, wake_at: 0 };
}

/** Every table, by the names both engines give them. Ids are kept, so that what refers to them stays right. */
export const TABLES: readonly Table[] = [
  {
    name: 'objects',
    columns: [
      ...columns('bigint', 'id', 'resource_version'),
      ...columns('text', 'kind', 'namespace', 'name', 'uid', 'created_at', 'terms', 'doc'),
    ],
    numbered: 'id',
  },
  {
    name: 'object_terms',
    columns: [...columns('text', 'kind', 'term', 'value', 'namespace', 'name', 'created_at'), ...columns('bigint', 'object_id')],
  },
  {
    name: 'sort_values',
    columns: [...columns('text', 'kind', 'field', 'value', 'namespace', 'name'), ...columns('bigint', 'object_id')],
  },
  {
    name: 'changes',
    columns: [
      ...columns('bigint', 'seq', 'resource_version'),
      ...columns('text', 'timestamp', 'type', 'kind', 'namespace', 'name', 'object', 'fact'),
    ],
  },
  {
    name: 'spec_versions',
    columns: [...columns('text', 'uid', 'written_at', 'written_by', 'replaced_at', 'spec'), ...columns('bigint', 'generation', 'size')],
  },
  { name: 'journal', columns: [...columns('text', 'stream', 'timestamp', 'type', 'data'), ...columns('bigint', 'seq')] },
  {
    name: 'signals',
    columns: [...columns('bigint', 'id'), ...columns('text', 'stream', 'timestamp', 'type', 'data')],
    numbered: 'id',
  },
  { name: 'event_streams', columns: [...columns('text', 'owner'), ...columns('bigint', 'head')] },
  { name: 'stream_events', columns: [...columns('text', 'owner', 'timestamp', 'type', 'data'), ...columns('bigint', 'seq')] },
  {
    name: 'work_items',
    columns: [
      ...columns('text', 'queue', 'key', 'namespace', 'name', 'demand', 'owner'),
      ...columns('double precision', 'rank', 'not_before', 'lease_until', 'wake_at'),
      ...columns('bigint', 'fence', 'parked', 'ready', 'takeovers'),
    ],
    adapt: endLease,
  },
  { name: 'documents', columns: columns('text', 'collection', 'id', 'document') },
];

export function columnList(table: Table): string {
  return table.columns.map(({ name }) => name).join(', ');
}
