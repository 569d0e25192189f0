// The middle and right of the inbox: the open approval, the last decision, and the context.
import { ArrowLeft, MousePointerClick } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { useCovered } from '../../../inspector/covered.ts';
import { PagePanel } from '../../../inspector/PagePanel.tsx';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import type { ApprovalKind, Place } from '../model/approval.ts';
import { ContextPane } from '../decision/ContextPane.tsx';
import { DecisionPane } from '../parts/DecisionPane.tsx';
import { JustDecided } from '../decision/JustDecided.tsx';
import type { InboxControl } from './use-inbox.ts';

export interface ApprovalDetailProps {
  readonly inbox: InboxControl;
  readonly place: (Place & { readonly kind: ApprovalKind }) | undefined;
}

export function ApprovalDetail({ inbox, place }: ApprovalDetailProps) {
  const { opened, wide, setState, decided, forgetDecided, state } = inbox;
  const covered = useCovered();
  const back = () => setState({ item: '' });
  useShortcut({ id: 'approvals.list', keys: 'escape', label: 'Back to the queue', quiet: true, when: !wide && !covered, run: back });
  return (
    <>
      <section aria-label="Decision" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
        {!wide && (
          <div className="border-b border-border bg-surface px-4 py-2">
            <Button size="sm" variant="ghost" icon={<ArrowLeft />} onClick={back}>
              Queue
            </Button>
          </div>
        )}
        <JustDecided decided={decided} onDismiss={forgetDecided} />
        {place ? (
          <DecisionPane key={inbox.current} place={place} query={opened} onDecided={inbox.onDecided} onNext={inbox.goNext} />
        ) : (
          <NothingOpen strange={state.item !== ''} empty={inbox.keys.length === 0} />
        )}
      </section>
      {opened.approval && (
        <PagePanel
          aria-label="Context"
          data-context
          className="hidden w-80 shrink-0 overflow-y-auto border-l border-border bg-surface px-4 py-4 @min-[62rem]/inbox:block"
        >
          <ContextPane approval={opened.approval} />
        </PagePanel>
      )}
    </>
  );
}

interface NothingOpenProps {
  readonly strange: boolean;
  readonly empty: boolean;
}

function NothingOpen({ strange, empty }: NothingOpenProps) {
  if (strange)
    return (
      <EmptyState cause="none" title="No approval at this address">
        It should be ToolApproval/namespace/name or TaskApproval/namespace/name.
      </EmptyState>
    );
  // The empty list already shows this message.
  if (empty) return null;
  return (
    <EmptyState cause="none" icon={<MousePointerClick />} title="Nothing is open">
      Select an approval in the list.
    </EmptyState>
  );
}
