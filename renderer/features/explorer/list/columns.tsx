// Columns of a kind's list, from the kind's own table: the name, the columns of the kind, its use, its labels, the menu of the row.
import { valueAtPath } from '@svc/shared/json';
import { sortedPaths } from '@svc/shared/kinds/column-sorts';
import type { Resource } from '@svc/shared/resource';
import { isCallable } from '../../../kinds/kind-table.ts';
import { ALL_NAMESPACES, objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import type { KindSummary, SummaryColumn } from '../../../kinds/kind-summary.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import type { DataColumn } from '../../../ui/table/table-model.ts';
import { isSuspended, refOf } from '../object-traits.ts';
import { CannotRun } from '../parts/ToolProblem.tsx';
import { CellValue } from './CellValue.tsx';
import { usageColumns } from './usage-columns.tsx';
import { Menu } from '../../../ui/overlay/Menu.tsx';
import { MoreButton } from '../MoreButton.tsx';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { countsByKind } from '../object-text.ts';
import { labelProblem } from '../label-change.ts';

export interface ColumnOptions {
  readonly kind: KindSummary;
  /** Namespace scope of the shell, which links keep. */
  readonly scope: string;
  readonly onLabel: (key: string, value: string) => void;
  readonly onNamespace: (namespace: string) => void;
  readonly menuOf: (resource: Resource) => readonly MenuItem[];
  /** Whether the list can be sorted by more than name and age. */
  readonly byValue: boolean;
  /** Whether it can be sorted by the use of its objects. */
  readonly byUse: boolean;
}

/** Id of a column that the kind defines. */
function columnId(path: string): string {
  return path === 'metadata.createdAt' ? 'age' : path;
}

/** Hidden by default. */
export function hiddenAtFirst({ columns }: KindSummary): string[] {
  return [...columns.filter(({ wide }) => wide === true).map(({ path }) => columnId(path)), 'labels'];
}

function nameColumn({ kind, scope }: ColumnOptions): DataColumn<Resource> {
  return {
    id: 'name',
    title: 'Name',
    width: NAME_WIDTH,
    grow: 2,
    pinned: true,
    sort: true,
    cell: (resource) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link href={objectAddress(refOf(resource), scope)} look="quiet" className="truncate font-medium" tabIndex={-1}>
          {resource.metadata.name}
        </Link>
        {isCallable(kind.kind) && <CannotRun tool={refOf(resource)} />}
        {isSuspended(resource) && !kind.phases.includes('Suspended') && <Badge tone="neutral">Suspended</Badge>}
      </span>
    ),
  };
}

function namespaceColumn({ onNamespace }: ColumnOptions): DataColumn<Resource> {
  return {
    id: 'namespace',
    title: 'Namespace',
    width: 112,
    cell: ({ metadata }) => (
      <button
        type="button"
        tabIndex={-1}
        title={`Only namespace ${metadata.namespace}`}
        className="truncate text-muted underline-offset-2 hover:text-text hover:underline"
        onClick={() => onNamespace(metadata.namespace)}
      >
        {metadata.namespace}
      </button>
    ),
  };
}

const NARROW: ReadonlySet<string> = new Set(['age', 'status.phase']);
/** Room for "Waiting for approval". */
const STATE_WIDTH = 184;
/** Room for "Every Monday at 07:00". */
const CRON_WIDTH = 180;
const PROSE_WIDTH = 200;

/** Room for a name of 16 characters. */
const NAME_WIDTH = 148;

function widthOf({ path, title, type, prose = false }: SummaryColumn): number {
  const id = columnId(path);
  if (id === 'age') return 76;
  if (id === 'status.phase') return STATE_WIDTH;
  if (prose) return PROSE_WIDTH;
  if (type === 'cron') return CRON_WIDTH;
  if (type === 'name' || type === 'names') return NAME_WIDTH;
  // Numbers are short: their title takes the room.
  return type === 'number' ? Math.max(80, 36 + 8 * title.length) : 104;
}

function kindColumns({ kind, byValue }: ColumnOptions): DataColumn<Resource>[] {
  const sorted = new Set(sortedPaths(kind.columns));
  return kind.columns.map((column) => {
    const { title, path, type, prose = false } = column;
    const id = columnId(path);
    return {
      id,
      title,
      width: widthOf(column),
      time: type === 'time',
      ...(type === 'number' && { align: 'end' as const }),
      ...(NARROW.has(id) || type === 'number' ? { grow: 0 } : prose ? { grow: 3 } : type === 'names' && { grow: 2 }),
      sort: id === 'age' || (byValue && sorted.has(path)),
      cell: (resource: Resource) => <CellValue kind={kind.kind} path={path} value={valueAtPath(resource, path)} />,
    };
  });
}

function menuColumn({ menuOf }: ColumnOptions): DataColumn<Resource> {
  return {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: 44,
    grow: 0,
    pinned: true,
    align: 'end',
    cell: (resource) => <RowMenu label={`Actions on ${resource.metadata.name}`} items={menuOf(resource)} />,
  };
}

/** All columns in their own order; ascending age is the order of creation. */
export function objectColumns(options: ColumnOptions): readonly DataColumn<Resource>[] {
  const { kind, scope, onLabel, byUse } = options;
  const own = kindColumns(options);
  const state = own.filter(({ id }) => id === 'status.phase');
  const age = own.filter(({ id }) => id === 'age');
  const rest = own.filter(({ id }) => !NARROW.has(id));
  return [
    nameColumn(options),
    ...(scope === ALL_NAMESPACES ? [namespaceColumn(options)] : []),
    ...state,
    ...rest,
    ...(kind.countsRuns ? usageColumns(byUse) : []),
    ...(kind.writeOnly
      ? [{ id: 'used-by', title: 'Used by', width: 180, cell: (resource: Resource) => <UsedByCell object={refOf(resource)} /> }]
      : []),
    { id: 'labels', title: 'Labels', width: 200, cell: (resource) => <LabelCell labels={resource.metadata.labels} onLabel={onLabel} /> },
    ...age,
    menuColumn(options),
  ];
}

interface RowMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** The menu of a row. */
function RowMenu({ label, items }: RowMenuProps) {
  return <Menu align="end" trigger={<MoreButton label={label} tabIndex={-1} />} items={items} />;
}

const REFERRERS_MAX = 50;

/** Referrers of the object of a row, requested only while the row is visible. */
function UsedByCell({ object }: { readonly object: ObjectRef }) {
  const { data, isError } = useQuery(api.resources.referrers.queryOptions({ ...object, limit: REFERRERS_MAX }));
  if (isError) return <span className="text-faint">not known</span>;
  if (!data) return <Skeleton className="w-24" />;
  if (data.items.length === 0) return <span className="text-muted">{data.incomplete ? 'not known yet' : 'Nothing'}</span>;
  const more = data.continue !== undefined;
  return (
    <span title={data.items.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join('\n')}>
      {more ? `More than ${REFERRERS_MAX} objects` : countsByKind(data.items)}
    </span>
  );
}

interface LabelCellProps {
  readonly labels: Readonly<Record<string, string>>;
  readonly onLabel: (key: string, value: string) => void;
}

const SHOWN_MAX = 3;
const LABEL_CLASS = 'max-w-40 truncate rounded-sm border border-border bg-surface px-1.5 font-mono text-xs leading-5 text-muted';

/** Labels of a row; each narrows the list to the objects that share it, where a selector can express it. */
function LabelCell({ labels, onLabel }: LabelCellProps) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return <span className="text-faint">–</span>;
  return (
    <span className="flex min-w-0 gap-1">
      {entries.slice(0, SHOWN_MAX).map(([key, value]) =>
        labelProblem(`${key}=${value}`) === undefined ? (
          <button
            key={key}
            type="button"
            tabIndex={-1}
            title={`Only objects with ${key}=${value}`}
            onClick={() => onLabel(key, value)}
            className={`${LABEL_CLASS} hover:border-border-strong hover:text-text`}
          >
            {key}={value}
          </button>
        ) : (
          <span key={key} title={`${key}=${value}\nNot valid in a selector`} className={LABEL_CLASS}>
            {key}={value}
          </span>
        ),
      )}
      {entries.length > SHOWN_MAX && <span className="text-sm text-muted">+{entries.length - SHOWN_MAX}</span>}
    </span>
  );
}
