// Right pane of the entries: the selected entry, its loading where the list does not hold it, and the dialogs that change it.
import { FileSearch } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { useEntry, type Entry, type MemoryRef } from '../model/use-entries.ts';
import { DeleteEntryDialog } from './DeleteEntryDialog.tsx';
import { EntryDialog } from './EntryDialog.tsx';
import { EntryView, type EntryCommand } from './EntryView.tsx';

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

interface Asked {
  readonly command: EntryCommand;
  readonly entry: Entry;
}

export function EntryPane(props: EntryPaneProps) {
  const { memory, onGone } = props;
  // The entry as it was shown: the list is read again behind the dialog, and another value of it must lead to a question.
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <>
      <Shown {...props} onAsk={setAsked} />
      {asked?.command === 'edit' && <EntryDialog memory={memory} entry={asked.entry} onClose={close} onWritten={close} />}
      {asked?.command === 'delete' && <DeleteEntryDialog memory={memory} entryKey={asked.entry.key} onClose={close} onGone={onGone} />}
    </>
  );
}

function Shown({ memory, entryKey, known, listed, onAsk }: EntryPaneProps & { readonly onAsk: (asked: Asked) => void }) {
  const query = useEntry(memory, entryKey, entryKey !== '' && !known && listed);
  if (entryKey === '') {
    return (
      <EmptyState cause="none" icon={<FileSearch />} title="No entry selected">
        Select a key to see its value.
      </EmptyState>
    );
  }
  const entry = known ?? query.data;
  if (entry) return <EntryView entry={entry} onCommand={(command) => onAsk({ command, entry })} />;
  if (entry === null) {
    return (
      <EmptyState cause="none" icon={<FileSearch />} title="There is no such entry">
        {entryKey} is not a key of this memory. It may have been deleted.
      </EmptyState>
    );
  }
  return <QueryState query={query} title="The entry could not be read" skeleton="h-24" className="m-4" />;
}
