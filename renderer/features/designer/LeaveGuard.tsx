// The question before a designer with unsaved changes is left.
import { useRouter, type RouterHistory } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';

export interface LeaveGuardProps {
  readonly dirty: boolean;
  /** The page navigates by itself, without a question. */
  readonly leaving: { readonly current: boolean };
}

const PAST_BLOCKERS = { ignoreBlocker: true };

type Traversal = Parameters<Parameters<RouterHistory['subscribe']>[0]>[0]['action'];

const stepsOf = (action: Traversal): number => (action.type === 'GO' ? action.index : action.type === 'BACK' ? -1 : 1);

/**
 * Leaving asks for confirmation while there are unsaved changes. The draft stays, so that a wrong answer costs nothing. The address is back
 * before the question is shown: a second press of Back asks again, and cannot leave the console from the entry in front of it.
 */
export function LeaveGuard({ dirty, leaving }: LeaveGuardProps) {
  const history = useRouter().history as RouterHistory;
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => {
    let traversed = false;
    const unblock = history.block({
      enableBeforeUnload: () => dirty,
      blockerFn: ({ currentLocation, nextLocation, action }) => {
        if (!dirty || leaving.current || currentLocation.pathname === nextLocation.pathname) return false;
        const { href, state } = nextLocation;
        if (action === 'PUSH') setLeave(() => () => history.push(href, state, PAST_BLOCKERS));
        else if (action === 'REPLACE') setLeave(() => () => history.replace(href, state, PAST_BLOCKERS));
        else traversed = true;
        return true;
      },
    });
    // A blocked traversal is reported to subscribers too, with its number of steps.
    const unsubscribe = history.subscribe(({ action }) => {
      if (traversed) setLeave(() => () => history.go(stepsOf(action), PAST_BLOCKERS));
      traversed = false;
    });
    return () => {
      unblock();
      unsubscribe();
    };
  }, [history, dirty, leaving]);
  return (
    <ConfirmDialog
      open={leave !== undefined}
      onClose={() => setLeave(undefined)}
      onConfirm={() => leave?.()}
      title="Leave without applying?"
      consequence="The system stays as it was. Your changes are kept as a draft on this machine and offered when you come back."
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger={false}
    />
  );
}
