// The list of runs: newest first, filtered by the server where it can, live without jumping.
import { ArrowUp, Play } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { kindAddress, objectAddress } from '../../../navigation/addresses.ts';
import { useListPeek } from '../../../inspector/use-list-peek.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useFilterState } from '../../../navigation/search-state.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { IncompleteBanner } from '../../../ui/table/IncompleteBanner.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { OpenFileButton } from '../../../ui/file/OpenFileButton.tsx';
import { PageHeader } from '../../../ui/layout/PageHeader.tsx';
import { useSelectAll } from '../../../ui/table/use-select-all.ts';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { TraceFiles } from '../../trace/parts/TraceFiles.tsx';
import { holdBack } from './new-rows.ts';
import { NewTemplate } from './NewTemplate.tsx';
import { RunColumnsButton } from './RunColumnsButton.tsx';
import { inOrder, runColumns } from './run-columns.tsx';
import { filtersHere, isFiltered, NO_FILTERS, RUN_LIST_PARAMS, type RunListState } from './run-list-input.ts';
import { orderOf, sortOf } from './run-sort.ts';
import { runKey, TASK, type Run } from '../model/run.ts';
import { RunsEmpty } from './RunsEmpty.tsx';
import { RunSelection } from './RunSelection.tsx';
import { RunsToolbar } from './RunsToolbar.tsx';
import { RunViews } from './RunViews.tsx';
import { useRunColumnPreferences } from './use-run-preferences.ts';
import { usePhaseCounts, useRuns, type PhaseCount } from './use-runs.ts';

const objectOf = ({ metadata: { namespace, name } }: Run) => ({ kind: TASK, namespace, name });
const NO_SELECTION: ReadonlySet<string> = new Set();
/** Scroll position beyond which new rows are held back. */
const TOP_PX = 40;

export function RunsPage() {
  const { scope, namespace } = useScope();
  const [state, change] = useFilterState(RUN_LIST_PARAMS);
  const counts = usePhaseCounts(state, namespace);
  return (
    <TraceFiles>
      <PageHeader
        title="Runs"
        status={
          <SegmentedControl
            label="Runs or templates"
            value={state.mode}
            onChange={(mode) => change({ mode })}
            segments={[
              { value: 'runs', label: 'Runs' },
              { value: 'templates', label: 'Templates' },
              { value: 'all', label: 'Both' },
            ]}
          />
        }
        actions={
          <>
            <OpenFileButton />
            {state.mode === 'templates' ? (
              <NewTemplate scope={scope} variant="primary" />
            ) : (
              <LinkButton variant="primary" icon={<Play />} href={kindAddress(scope, 'AgentSystem')}>
                Run a system
              </LinkButton>
            )}
          </>
        }
      />
      <RunList key={scope} scope={scope} namespace={namespace} state={state} counts={counts} onChange={change} />
    </TraceFiles>
  );
}

interface RunListProps {
  readonly scope: string;
  readonly namespace: string | undefined;
  readonly state: RunListState;
  readonly counts: readonly PhaseCount[] | undefined;
  readonly onChange: (change: Partial<RunListState>) => void;
}

function RunList({ scope, namespace, state, counts, onChange }: RunListProps) {
  const navigation = useNavigation();
  const pages = useRuns(state, namespace);
  const [selected, setSelected] = useState(NO_SELECTION);
  const { frame, onScroll, held, toTop } = useHeldRows(pages.rows, state.sort === '-createdAt' || state.q !== '');
  const { preferences, columns } = useRunColumns({ scope, namespace, search: state.q, onFilter: onChange });
  const onOpen = useCallback((run: Run) => navigation.go(objectAddress({ kind: 'Task', ...run.metadata }, scope)), [navigation, scope]);
  const peek = useListPeek(TASK, objectOf);
  const selection = useMemo(() => ({ selected, onChange: setSelected }), [selected]);
  const total = totalOf(counts, state);
  const all = useSelectAll({ pages, read: pages.read, keyOf: runKey, selection, total, filters: JSON.stringify(state) });
  return (
    <>
      <RunsToolbar
        state={state}
        namespace={namespace}
        counts={counts}
        choices={pages.choices}
        onChange={onChange}
        aside={
          <>
            <RunViews state={state} onChoose={onChange} />
            <RunColumnsButton columns={columns} hidden={preferences.hidden} onChange={preferences.change} onReset={preferences.reset} />
          </>
        }
      />
      <RunSelection scope={scope} rows={pages.rows} selection={selection} all={all} />
      {pages.incomplete && <IncompleteRuns state={state} onRetry={pages.retry} onChange={onChange} />}
      <div
        ref={frame}
        onScrollCapture={onScroll}
        className="relative flex min-h-0 flex-1 flex-col border-t border-border [@media(max-height:40rem)]:min-h-56"
        aria-busy={pages.stale}
      >
        {held.fresh > 0 && <NewRows count={held.fresh} onShow={toTop} />}
        <DataTable
          label="Runs"
          rows={held.rows}
          rowKey={runKey}
          rowLabel={runKey}
          columns={columns}
          hiddenColumns={preferences.hidden}
          totalCount={pages.hasMore ? total : pages.rows.length}
          loading={pages.loading}
          loadingMore={pages.loadingMore}
          onLoadMore={pages.hasMore && !pages.stale ? pages.loadMore : undefined}
          onOpen={onOpen}
          {...peek}
          selection={selection}
          sort={sortOf(state)}
          onSort={state.q === '' ? (sort) => onChange({ sort: orderOf(sort) }) : undefined}
          empty={
            <RunsEmpty
              scope={scope}
              error={pages.error}
              filtered={isFiltered(state)}
              mode={state.mode}
              search={state.q}
              onRetry={pages.retry}
              onClear={() => onChange(NO_FILTERS)}
            />
          }
        />
      </div>
      <RunListFoot state={state} pages={pages} total={total} onTemplates={() => onChange({ mode: 'templates' })} />
    </>
  );
}

interface ColumnSource extends Pick<RunListProps, 'scope' | 'namespace'> {
  readonly search: string;
  readonly onFilter: RunListProps['onChange'];
}

function useRunColumns({ scope, namespace, search, onFilter }: ColumnSource) {
  const preferences = useRunColumnPreferences();
  const columns = useMemo(
    () => inOrder(runColumns({ scope, allNamespaces: namespace === undefined, search, onFilter }), preferences.order),
    [scope, namespace, search, onFilter, preferences.order],
  );
  return { preferences, columns };
}

function NewRows({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 top-10 z-20 flex justify-center">
      <Button size="sm" variant="primary" icon={<ArrowUp />} onClick={onShow} className="pointer-events-auto rounded-full shadow-overlay">
        {count === 1 ? '1 new run' : `${formatNumber(count)} new runs`}
      </Button>
    </div>
  );
}

interface IncompleteProps extends Pick<RunListProps, 'state' | 'onChange'> {
  readonly onRetry: () => void;
}

/** The order by age has all runs, indexed or not. */
function IncompleteRuns({ state, onRetry, onChange }: IncompleteProps) {
  const byAge = state.q === '' && (
    <Button size="sm" onClick={() => onChange({ sort: '-createdAt' })}>
      Sort by age
    </Button>
  );
  return <IncompleteBanner onRetry={onRetry} action={byAge} />;
}

interface FootProps {
  readonly state: RunListState;
  readonly pages: ReturnType<typeof useRuns>;
  /** All runs of the filters; undefined where the server does not count them. */
  readonly total: number | undefined;
  readonly onTemplates: () => void;
}

/** Number of loaded rows, of all, and of hidden ones. */
function RunListFoot({ state, pages, total, onTemplates }: FootProps) {
  if (pages.loading || pages.error !== null) return null;
  return (
    <footer className="flex h-8 shrink-0 items-center gap-3 border-t border-border px-6 text-sm text-muted max-sm:px-4">
      <span className="tabular-nums">{countText(state, pages, total)}</span>
      {pages.templatesApart > 0 && (
        <Button variant="link" size="sm" onClick={onTemplates}>
          {pages.templatesApart === 1 ? '+ 1 template' : `+ ${formatNumber(pages.templatesApart)} templates`}
        </Button>
      )}
    </footer>
  );
}

/** Rows that arrive while the user reads further down wait for the chip, or for a return to the top. */
function useHeldRows(rows: readonly Run[], newestFirst: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState<ReadonlySet<string>>();
  const away = known !== undefined;
  const onScroll = (event: React.UIEvent) => {
    const { scrollTop } = event.target as HTMLElement;
    if (scrollTop > TOP_PX && !away && newestFirst) setKnown(new Set(rows.map(runKey)));
    if (scrollTop <= TOP_PX && away) setKnown(undefined);
  };
  const toTop = () => {
    setKnown(undefined);
    frame.current?.querySelector('[role="grid"]')?.scrollTo({ top: 0 });
  };
  const held = useMemo(() => holdBack(rows, newestFirst ? known : undefined), [rows, known, newestFirst]);
  return { frame, onScroll, held, toTop };
}

function countText(state: RunListState, { rows, read, hasMore }: FootProps['pages'], total: number | undefined): string {
  const shown = formatNumber(rows.length);
  if (filtersHere(state) && read > rows.length) return `${shown} of ${formatNumber(read)} match${hasMore ? ', more below' : ''}`;
  if (hasMore)
    return total !== undefined && total > rows.length ? `${shown} of ${formatNumber(total)} loaded` : `${shown} loaded, more below`;
  return state.mode === 'templates' ? counted(rows.length, 'template') : counted(rows.length, 'run');
}

const counted = (count: number, word: string) => `${formatNumber(count)} ${word}${count === 1 ? '' : 's'}`;

function totalOf(counts: readonly PhaseCount[] | undefined, state: RunListState): number | undefined {
  if (!counts || filtersHere(state)) return undefined;
  const wanted = counts.filter(({ phase }) => state.phase.length === 0 || state.phase.includes(phase));
  return wanted.some(({ more }) => more) ? undefined : wanted.reduce((sum, { count }) => sum + count, 0);
}
