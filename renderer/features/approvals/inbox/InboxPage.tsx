// Waiting approvals for a person, and the decisions that were taken: queue, decision, context.
import { native } from '../../../native/native.ts';
import { usePageTitle } from '../../../navigation/page-title.ts';
import { ApprovalDetail } from './ApprovalDetail.tsx';
import { HistoryPane } from './HistoryPane.tsx';
import { QueuePane } from './QueuePane.tsx';
import { useInbox } from './use-inbox.ts';
import { useQueueKeys } from './use-queue-keys.ts';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { NotifyButton } from '../parts/NotifyButton.tsx';

export function InboxPage() {
  const inbox = useInbox();
  const { scope, state, setState, queue, history, inHistory, selection, place, open, onDecided, wide } = inbox;
  usePageTitle(inHistory ? 'History · Inbox' : 'Inbox');
  useQueueKeys({
    keys: inbox.keys,
    current: inbox.current,
    lastIndex: inbox.lastIndex,
    open: inbox.moveTo,
    toggle: inHistory ? undefined : selection.toggle,
    readDecision: inbox.readDecision,
  });
  const showList = wide || state.item === '';
  const showDetail = wide || state.item !== '';
  return (
    // Where the page is low, on a small or much enlarged screen or above a dock, it scrolls as a whole: a fixed layout would leave too little
    // room to read.
    <div className="[container:inbox/size] min-h-0 flex-1 overflow-y-auto">
      <div className="flex h-full flex-col [@container_inbox_(max-height:27rem)]:h-[34rem]">
        {showList && (
          <InboxHeader
            view={state.view}
            waiting={queue.pending.loading || queue.pending.failed.length > 0 ? undefined : queue.all.length}
            onView={(view) => setState({ view, item: '', kind: [], q: '', phase: '' }, { push: true })}
          />
        )}
        <div className="flex min-h-0 flex-1 border-t border-border">
          {showList && (
            <section
              aria-label={inHistory ? 'History' : 'Queue'}
              className="flex min-h-0 w-full shrink-0 flex-col bg-surface md:w-72 md:border-r md:border-border lg:w-[21.5rem]"
            >
              {inHistory ? (
                <HistoryPane
                  history={history}
                  state={state}
                  onState={inbox.setFilters}
                  scope={scope}
                  onOpen={open}
                  rowFocus={inbox.rowFocus}
                />
              ) : (
                <QueuePane
                  queue={queue}
                  state={state}
                  onState={inbox.setFilters}
                  scope={scope}
                  selection={selection}
                  onOpen={open}
                  rowFocus={inbox.rowFocus}
                  onDecided={onDecided}
                />
              )}
            </section>
          )}
          {showDetail && <ApprovalDetail inbox={inbox} place={place} />}
        </div>
      </div>
    </div>
  );
}

interface InboxHeaderProps {
  readonly view: 'waiting' | 'history';
  /** Undefined while it is unknown. */
  readonly waiting: number | undefined;
  readonly onView: (view: 'waiting' | 'history') => void;
}

/** The head of the inbox: waiting or history, how many, and whether the browser notifies. */
function InboxHeader({ view, waiting, onView }: InboxHeaderProps) {
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
      {/* The desktop app notifies by itself, as its settings say. */}
      {native.desktop === undefined && (
        <span className="ml-auto">
          <NotifyButton />
        </span>
      )}
    </header>
  );
}
