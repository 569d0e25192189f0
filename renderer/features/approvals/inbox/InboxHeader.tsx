// The head of the inbox: waiting or history, how many, and whether the browser notifies.
import { SegmentedControl } from '../../../ui/SegmentedControl.tsx';
import { NotifyButton } from '../parts/NotifyButton.tsx';

export interface InboxHeaderProps {
  readonly view: 'waiting' | 'history';
  /** Undefined while it is read. */
  readonly waiting: number | undefined;
  readonly onView: (view: 'waiting' | 'history') => void;
}

export function InboxHeader({ view, waiting, onView }: InboxHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3 max-sm:px-4">
      <h1 className="text-xl font-semibold tracking-tight text-text">Inbox</h1>
      <SegmentedControl
        label="View"
        value={view}
        onChange={onView}
        segments={[
          {
            value: 'waiting',
            label: <>Waiting {waiting !== undefined && <span className="tabular-nums">{waiting}</span>}</>,
          },
          { value: 'history', label: 'History' },
        ]}
      />
      <span className="ml-auto">
        <NotifyButton />
      </span>
    </header>
  );
}
