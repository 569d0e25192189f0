// The list of one kind: filters, table, selection, and actions for rows.
import type { Resource } from '@svc/shared/resource';
import { FileUp, Plus, Download } from 'lucide-react';
import { useCallback, useMemo, useState, type KeyboardEvent, useRef } from 'react';
import { createAddress, kindAddress, objectAddress, pageAddress } from '../../../navigation/addresses.ts';
import { useListPeek } from '../../../inspector/use-list-peek.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { kindsTitle } from '../../../kinds/kind-titles.ts';
import { listPreference } from '../../../preferences/preferences.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useFilterState } from '../../../navigation/search-state.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { usePreference } from '../../../preferences/use-preferences.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { IncompleteBanner } from '../../../ui/table/IncompleteBanner.tsx';
import { useSelectAll } from '../../../ui/table/use-select-all.ts';
import { OpenFileButton } from '../../../ui/file/OpenFileButton.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { CalendarSwitch, WithCalendar } from '../../triggers/parts/WithCalendar.tsx';
import { DropToImport } from '../import/DropToImport.tsx';
import { isCreatedByService, keyText, refOf } from '../object-traits.ts';
import { useObjectActions, exportObjects } from '../parts/use-object-actions.tsx';
import { countOf, kindWord } from '../object-text.ts';
import { hiddenAtFirst, objectColumns, type ColumnOptions } from './columns.tsx';
import { useFreshUsage, useUsageOrder } from './usage-columns.tsx';
import { ListEmpty } from './ListEmpty.tsx';
import { LIST_PARAMS, listInput, shownSort, sortParam, withLabel, type ListState } from './list-state.ts';
import { ListToolbar } from './ListToolbar.tsx';
import { SelectionBar } from './SelectionBar.tsx';
import { useCounts, useObjects, type ObjectCount } from './use-objects.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { toastDone, toastError, toastInfo } from '../../../ui/overlay/toast.ts';
import { EXPORT_MAX, readExport } from '../object-yaml.ts';
import type { ListPages } from '../../../live/list-pages.ts';
import type { ListInput } from '../../../live/list-selectors.ts';

const NOTHING: ReadonlySet<string> = new Set();

function useHiddenColumns(kind: KindSummary) {
  const preference = useMemo(() => listPreference(`tables.${kind.plural}.hidden`, hiddenAtFirst(kind)), [kind]);
  const [list, set] = usePreference(preference);
  const hidden = useMemo(() => new Set(list), [list]);
  const onHidden = useCallback((next: ReadonlySet<string>) => set([...next]), [set]);
  return { hidden, onHidden };
}

/** Selected objects in the order of the list; removed ones are no longer selected. */
function useSelection(rows: readonly Resource[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(NOTHING);
  const selected = useMemo(() => (keys.size === 0 ? [] : rows.filter((row) => keys.has(keyText(row)))), [keys, rows]);
  const selection = useMemo(() => ({ selected: keys, onChange: setKeys }), [keys]);
  return { selected, selection, clear: useCallback(() => setKeys(NOTHING), []) };
}

interface Columns extends Pick<ColumnOptions, 'kind' | 'scope' | 'menuOf' | 'byUse'> {
  readonly state: ListState;
  readonly setState: (change: Partial<ListState>) => void;
}

function useColumns({ kind, scope, menuOf, byUse, state: { labels, q }, setState }: Columns) {
  const { go } = useNavigation();
  return useMemo(
    () =>
      objectColumns({
        ...{ kind, scope, menuOf, byUse },
        byValue: q === '',
        onLabel: (key, value) => setState({ labels: withLabel(labels, key, value) }),
        onNamespace: (one) => go(kindAddress(one, kind.kind)),
      }),
    [kind, scope, menuOf, byUse, labels, q, setState, go],
  );
}

export function KindList({ kind }: { readonly kind: KindSummary }) {
  useFreshUsage();
  const { scope, namespace, home } = useScope();
  const [state, setState] = useFilterState(LIST_PARAMS);
  const objects = useObjects(kind, state, namespace);
  const used = useUsageOrder(kind.countsRuns, state.sort, objects);
  const counts = useCounts(kind, state, namespace);
  const { go } = useNavigation();
  const write = useCanWrite();
  const actions = useObjectActions({ kind, scope });
  const { hidden, onHidden } = useHiddenColumns(kind);
  const { selected, selection, clear } = useSelection(used.rows);
  const { menuOf } = actions;
  const peek = useListPeek(kind.kind, refOf);
  const columns = useColumns({ kind, scope, menuOf, state, setState, byUse: used.possible });
  const open = useCallback((row: Resource) => go(objectAddress(refOf(row), scope)), [go, scope]);
  const input = listInput(kind, state, namespace);
  const exportAll = useExportAll(kind, input);
  const total = state.q !== '' || counts.total?.more ? undefined : counts.total?.count;
  const all = useSelectAll({ pages: objects, read: objects.read.length, keyOf: keyText, selection, total, filters: JSON.stringify(input) });
  return (
    <DropToImport namespace={home} enabled={write.allowed && !isCreatedByService(kind.kind)}>
      <ListHeader kind={kind} home={home} total={state.q === '' ? counts.total : undefined} onExport={exportAll} />
      <ListToolbar
        kind={kind}
        state={state}
        namespace={namespace}
        onChange={setState}
        rows={objects.rows}
        counts={counts}
        columns={columns}
        hidden={hidden}
        onHidden={onHidden}
      />
      {objects.incomplete && <IncompleteBanner onRetry={objects.retry} />}
      {selected.length > 0 && <SelectionBar kind={kind} selected={selected} actions={actions} onClear={clear} all={all} />}
      <WithCalendar kind={kind.kind} rows={objects.rows} hasMore={objects.hasMore}>
        <DataTable
          label={kindsTitle(kind)}
          rows={used.rows}
          rowKey={keyText}
          rowLabel={(row) => row.metadata.name}
          columns={columns}
          hiddenColumns={hidden}
          totalCount={total}
          onOpen={open}
          {...peek}
          selection={selection}
          sort={used.sort ?? shownSort(kind, state)}
          onSort={(sort) => setState({ sort: sortParam(sort) })}
          onLoadMore={objects.hasMore ? objects.loadMore : undefined}
          loadingMore={objects.loadingMore}
          loading={objects.loading && objects.error === null}
          onRowKey={(event, row) => rowKeys(event, row, actions.ask)}
          empty={<ListEmpty kind={kind} state={state} home={home} error={objects.error} onRetry={objects.retry} onChange={setState} />}
        />
      </WithCalendar>
      {state.q !== '' && !objects.loading && objects.error === null && <NamesLookedThrough pages={objects} />}
      {actions.dialogs}
    </DropToImport>
  );
}

/** Number of searched names, and of names that contain the text. */
function NamesLookedThrough({ pages: { rows, examined, hasMore, lookFurther } }: { readonly pages: ListPages<Resource> }) {
  return (
    <footer className="flex h-8 shrink-0 items-center gap-3 border-t border-border px-6 text-sm text-muted max-sm:px-4" role="status">
      <span className="tabular-nums">
        {`${formatNumber(rows.length)} of ${formatNumber(examined)} match`}
        {hasMore && ', more below'}
        {lookFurther && ', not all names were searched'}
      </span>
      {lookFurther && (
        <Button variant="link" size="sm" onClick={lookFurther}>
          Search more
        </Button>
      )}
    </footer>
  );
}

/** M opens the menu of the row, Delete asks to delete it. */
function rowKeys(event: KeyboardEvent, row: Resource, ask: ReturnType<typeof useObjectActions>['ask']): boolean {
  if (event.key === 'Delete') {
    ask('delete', [row]);
    return true;
  }
  if (event.key !== 'm' && event.key !== 'ContextMenu') return false;
  const focused = (event.target as HTMLElement).closest('[role="row"]');
  const button = focused?.querySelector('[data-row-menu]');
  button?.dispatchEvent(new globalThis.KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
  return button != null;
}

interface ListHeaderProps {
  readonly kind: KindSummary;
  readonly home: string;
  readonly total: ObjectCount | undefined;
  readonly onExport: () => void;
}

function ListHeader({ kind, home, total, onExport }: ListHeaderProps) {
  const { go } = useNavigation();
  const { reason } = useCanWrite();
  const creatable = !isCreatedByService(kind.kind);
  useShortcut({
    id: 'explorer.create',
    keys: 'c',
    label: `Create ${kindWord(kind.kind, 1)}`,
    when: creatable && reason === undefined,
    run: () => go(createAddress(home, kind.kind)),
  });
  return (
    <PageHeader
      title={kindsTitle(kind)}
      status={
        <>
          {total && (
            <span className="text-base text-muted tabular-nums" role="status">
              {countOf(kind.kind, total.count, total.more)}
            </span>
          )}
          <CalendarSwitch kind={kind.kind} />
        </>
      }
      meta={<span className="max-w-3xl text-pretty">{kind.description}</span>}
      actions={
        <>
          <IconButton variant="secondary" label="Export matches as YAML" icon={<Download />} onClick={onExport} />
          <OpenFileButton />
          {creatable && (
            <Button icon={<FileUp />} disabledReason={reason} onClick={() => go(pageAddress(home, 'import'))}>
              Import
            </Button>
          )}
          {creatable && (
            <Button variant="primary" icon={<Plus />} disabledReason={reason} onClick={() => go(createAddress(home, kind.kind))}>
              Create
            </Button>
          )}
        </>
      }
    />
  );
}

function useExportAll(kind: KindSummary, input: ListInput): () => void {
  const latest = useRef(input);
  latest.current = input;
  return useCallback(() => {
    const run = async () => {
      const { items, more } = await readExport(latest.current);
      if (items.length === 0) return toastInfo(`There are no ${kindWord(kind.kind, 2)} to export`);
      await exportObjects(kind, items);
      if (more) toastInfo(`The first ${formatNumber(EXPORT_MAX)} were exported. Narrow the list, or use npx svcctl get, for the rest.`);
      else toastDone(`${countOf(kind.kind, items.length)} exported`);
    };
    run().catch((error: unknown) => toastError('The export failed', error));
  }, [kind]);
}
