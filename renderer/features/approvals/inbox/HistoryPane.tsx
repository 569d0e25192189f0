// The left of the history: filters, the list, and the export of all records.
import { Search } from 'lucide-react';
import { Input } from '../../../ui/input/Input.tsx';
import { useFindKey } from '../../../shortcuts/use-find-key.ts';
import { Select } from '../../../ui/input/Select.tsx';
import { ExportButton } from './ExportButton.tsx';
import { HistoryList } from './HistoryList.tsx';
import type { InboxState, SetInbox } from './inbox-params.ts';
import type { History } from './use-history.ts';
import type { RowFocus } from './use-row-focus.ts';

export interface HistoryPaneProps {
  readonly history: History;
  readonly state: InboxState;
  readonly onState: SetInbox;
  readonly scope: string;
  readonly onOpen: (key: string) => void;
  readonly rowFocus: RowFocus;
}

const PHASES = [
  { value: '', label: 'All decisions' },
  { value: 'Approved', label: 'Approved' },
  { value: 'Denied', label: 'Denied' },
  { value: 'ChangesRequested', label: 'Changes requested' },
  { value: 'Expired', label: 'Expired' },
];

const KINDS = [
  { value: '', label: 'Calls and reviews' },
  { value: 'ToolApproval', label: 'Calls' },
  { value: 'TaskApproval', label: 'Reviews' },
];

export function HistoryPane({ history, state, onState, scope, onOpen, rowFocus }: HistoryPaneProps) {
  const field = useFindKey('history.search', 'Find in the history');
  const filtered = state.q !== '' || state.phase !== '' || state.kind.length > 0;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div role="search" aria-label="Filter the history" className="flex flex-col gap-2 border-b border-border p-3">
        <Input
          ref={field}
          type="search"
          icon={<Search />}
          aria-label="Find in the history"
          placeholder="Tool, agent, run, person…"
          value={state.q}
          onChange={(event) => onState({ q: event.target.value })}
        />
        <div className="flex gap-2">
          <Select
            aria-label="Decision"
            value={state.phase}
            options={PHASES}
            onChange={(phase) => onState({ phase: phase as InboxState['phase'] })}
          />
          <Select
            aria-label="Kind"
            value={state.kind[0] ?? ''}
            options={KINDS}
            onChange={(kind) => onState({ kind: kind === '' ? [] : [kind] })}
          />
        </div>
      </div>
      <HistoryList history={history} scope={scope} current={state.item} filtered={filtered} onOpen={onOpen} rowFocus={rowFocus} />
      <div className="border-t border-border p-3">
        <ExportButton />
      </div>
    </div>
  );
}
