// Left pane of the entries: a tree of keys, or the results of a search, in each state a read can be in.
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { LoadFailure } from '../../../ui/feedback/LoadFailure.tsx';
import { formatNumber } from '../../../ui/status/format.ts';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import { searchLabel } from '../model/health.ts';
import { keyRows, type FolderRow } from '../model/key-tree.ts';
import type { Entries, Entry, EntryQuery } from '../model/use-entries.ts';
import { KeyTree } from './KeyTree.tsx';
import { ResultList } from './ResultList.tsx';

export interface ListPaneProps {
  readonly read: Entries;
  readonly query: EntryQuery;
  readonly provider: string | undefined;
  /** False while the backend fails: it may hold entries that nobody can read. */
  readonly works: boolean;
  /** Key of the shown entry; empty: none. */
  readonly selected: string;
  readonly onSelect: (key: string) => void;
  readonly onPrefix: (prefix: string) => void;
  readonly onSearch: (text: string) => void;
}

/** So many keys are seen at a glance, with all folders open. */
const OPEN_MAX = 40;

export function ListPane(props: ListPaneProps) {
  const { read, query } = props;
  const { entries, error } = read;
  if (entries === undefined && error === null) return <SkeletonLines widths={['w-2/3', 'w-1/2', 'w-3/5']} className="gap-3 p-4" />;
  if (entries === undefined)
    return (
      <LoadFailure
        error={error}
        title="The entries could not be read"
        forbidden="You may not read these entries"
        onRetry={read.retry}
        retrying={read.reading}
        className="m-4"
      />
    );
  if (entries.length === 0) return <Nothing {...props} />;
  return (
    <>
      {error !== null && <ErrorCard className="m-3" error={error} title="The entries could not be read again" onRetry={read.retry} />}
      {query.q === '' ? <Keys {...props} entries={entries} /> : <Results {...props} entries={entries} />}
    </>
  );
}

function Nothing({ read, query: { q, prefix }, provider = 'in-memory', works, onSearch, onPrefix }: ListPaneProps) {
  if (!works) {
    return (
      <EmptyState cause="none" title="No entries can be read">
        Entries appear here when the backend works.
      </EmptyState>
    );
  }
  if (q !== '') {
    return (
      <EmptyState cause="filtered" title="No entry matches" action={<Button onClick={() => onSearch('')}>Show all keys</Button>}>
        The {searchLabel(read.search)} found nothing.
      </EmptyState>
    );
  }
  if (prefix !== '') {
    return (
      <EmptyState
        cause="filtered"
        title={`No key begins with ${prefix}`}
        action={<Button onClick={() => onPrefix('')}>Show all keys</Button>}
      />
    );
  }
  return (
    <EmptyState cause="none" title="No entries">
      {provider === 'in-memory'
        ? 'Agents write entries with memory.write and memory.ingest, and they are lost when the server restarts.'
        : 'Agents write entries with memory.write and memory.ingest. People add text and entries here.'}
    </EmptyState>
  );
}

type FilledProps = ListPaneProps & { readonly entries: readonly Entry[] };

function Keys({ read, query: { prefix }, selected, onSelect, onPrefix, entries }: FilledProps) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = entries.length <= OPEN_MAX;
  const rows = useMemo(
    () =>
      keyRows(
        entries.map(({ key }) => key),
        { toggled, open, base: prefix },
      ),
    [entries, toggled, open, prefix],
  );
  const toggle = (folder: FolderRow, on: boolean) => setToggled(new Map(toggled).set(folder.prefix, on));
  const count = formatNumber(entries.length);
  return (
    <>
      <KeyTree rows={rows} selected={selected} more={read.hasMore} onSelect={onSelect} onToggle={toggle} onPrefix={onPrefix} />
      <footer className="flex min-h-9 items-center gap-2 border-t border-border px-4 py-1 text-sm text-muted">
        <span className="flex-1" role="status">
          {read.hasMore ? `The first ${count} keys` : entries.length === 1 ? '1 key' : `${count} keys`}
        </span>
        {read.hasMore && (
          <Button size="sm" busy={read.loadingMore} onClick={read.loadMore}>
            Read more
          </Button>
        )}
      </footer>
    </>
  );
}

function Results({ read, selected, onSelect, entries }: FilledProps) {
  const count = entries.length === 1 ? '1 result' : `${formatNumber(entries.length)} results`;
  return (
    <>
      <p role="status" className="border-b border-border px-4 py-1.5 text-sm text-muted">
        {count} by <strong className="font-medium text-text">{searchLabel(read.search)}</strong>, best first
      </p>
      <ResultList entries={entries} selected={selected} onSelect={onSelect} />
    </>
  );
}
