// Entries of a Memory: a tree of keys or the results of a search at the left, the selected value at the right, and the health of the backend above.
import { searchMode, type SearchMode } from '@svc/shared/kinds/memory/search-mode';
import type { Resource } from '@svc/shared/resource';
import { ArrowLeft, FileText, Plus, RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { textParam, useSearchState } from '../../../navigation/search-state.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Chip } from '../../../ui/status/Chip.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SplitPane } from '../../../ui/layout/SplitPane.tsx';
import { useMedia } from '../../../ui/layout/use-media.ts';
import { Toolbar } from '../../../ui/table/Toolbar.tsx';
import { useEntries, type Entries, type EntryQuery } from '../model/use-entries.ts';
import { DocumentDialog } from './DocumentDialog.tsx';
import { EntryDialog } from './EntryDialog.tsx';
import { EntryPane } from './EntryPane.tsx';
import { EntrySearch } from './EntrySearch.tsx';
import { HealthBanner } from './HealthBanner.tsx';
import { ListPane } from './ListPane.tsx';

const KIND = 'Memory';
const PARAMS = { q: textParam, prefix: textParam, key: textParam };

export function EntriesTab({ resource }: { readonly resource: Resource }) {
  const { namespace, name } = resource.metadata;
  const memory = useMemo(() => ({ namespace, name }), [namespace, name]);
  const spec = specOf(KIND, resource);
  const status = statusOf(KIND, resource);
  const [{ q, prefix, key }, setState] = useSearchState(PARAMS);
  const read = useEntries(memory, { q, prefix });
  const [adding, setAdding] = useState<'entry' | 'text'>();
  useReadAgain(status.phase, read.retry);
  const select = (next: string) => setState({ key: next }, { push: true });
  const close = () => setAdding(undefined);
  const show = (written: string) => {
    close();
    setState({ key: written, q: '' });
  };
  const narrow = useMedia('(max-width: 639px)');
  const known = read.entries?.find((entry) => entry.key === key);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <HealthBanner spec={spec} status={status} />
      <EntriesToolbar
        query={{ q, prefix }}
        mode={searchMode(spec)}
        read={read}
        onQuery={(change) => setState(change, { push: true })}
        onAdd={setAdding}
      />
      <SplitPane
        label="Width of the list"
        initial={380}
        min={220}
        max={900}
        rest={300}
        storageKey="memory-entries"
        folded={narrow ? (key === '' ? 'second' : 'first') : undefined}
        className="border-t border-border"
        first={
          <ListPane
            read={read}
            query={{ q, prefix }}
            selected={key}
            onSelect={select}
            onPrefix={(next) => setState({ prefix: next }, { push: true })}
            onSearch={(next) => setState({ q: next })}
            provider={spec.provider}
            works={status.phase !== 'Error'}
          />
        }
        second={
          <>
            {narrow && <BackButton onBack={() => select('')} />}
            <EntryPane
              key={key}
              memory={memory}
              entryKey={key}
              known={known}
              listed={read.entries !== undefined}
              onGone={() => setState({ key: '' })}
            />
          </>
        }
      />
      {adding === 'entry' && <EntryDialog memory={memory} startKey={prefix} onClose={close} onWritten={show} />}
      {adding === 'text' && <DocumentDialog memory={memory} startKey={prefix} onClose={close} onAdded={show} />}
    </div>
  );
}

function BackButton({ onBack }: { readonly onBack: () => void }) {
  return (
    <Button variant="ghost" icon={<ArrowLeft />} className="m-2 self-start" onClick={onBack}>
      All keys
    </Button>
  );
}

interface ToolbarProps {
  readonly query: EntryQuery;
  readonly mode: SearchMode;
  readonly read: Entries;
  readonly onQuery: (change: Partial<EntryQuery>) => void;
  readonly onAdd: (what: 'entry' | 'text') => void;
}

function EntriesToolbar({ query: { q, prefix }, mode, read, onQuery, onAdd }: ToolbarProps) {
  const { reason } = useCanWrite();
  return (
    <Toolbar
      label="Entries"
      aside={
        <>
          <IconButton label="Read again" icon={<RefreshCw />} busy={read.reading} onClick={read.retry} />
          <Button icon={<FileText />} disabledReason={reason} onClick={() => onAdd('text')}>
            Add text
          </Button>
          <Button variant="primary" icon={<Plus />} disabledReason={reason} onClick={() => onAdd('entry')}>
            New entry
          </Button>
        </>
      }
    >
      <EntrySearch value={q} mode={mode} onSearch={(next) => onQuery({ q: next })} />
      {prefix !== '' && q === '' && (
        <Chip mono removeLabel="Show all keys" onRemove={() => onQuery({ prefix: '' })}>
          {prefix}
        </Chip>
      )}
    </Toolbar>
  );
}

/** After a failure the backend may have other entries than those shown. */
function useReadAgain(phase: string, retry: () => void): void {
  const before = useRef(phase);
  useEffect(() => {
    if (before.current !== phase) retry();
    before.current = phase;
  }, [phase, retry]);
}
