// Right pane of the entries: the selected entry, and its loading where the list does not hold it.
import { FileSearch } from 'lucide-react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { useEntry, type Entry, type MemoryRef } from '../model/use-entries.ts';
import { EntryView } from './EntryView.tsx';

export interface EntryPaneProps {
  readonly memory: MemoryRef;
  /** Empty: none is selected. */
  readonly entryKey: string;
  /** The entry as the list holds it. */
  readonly known: Entry | undefined;
  /** Whether the list has been read. */
  readonly listed: boolean;
  readonly onGone: () => void;
}

export function EntryPane({ memory, entryKey, known, listed, onGone }: EntryPaneProps) {
  const query = useEntry(memory, entryKey, entryKey !== '' && !known && listed);
  if (entryKey === '') {
    return (
      <EmptyState cause="none" icon={<FileSearch />} title="No entry selected">
        Select a key to see its value.
      </EmptyState>
    );
  }
  const entry = known ?? query.data;
  if (entry) return <EntryView memory={memory} entry={entry} onGone={onGone} />;
  if (entry === null) {
    return (
      <EmptyState cause="none" icon={<FileSearch />} title="There is no such entry">
        {entryKey} is not a key of this memory. It may have been deleted.
      </EmptyState>
    );
  }
  return <QueryState query={query} title="The entry could not be read" skeleton="h-24" className="m-4" />;
}
