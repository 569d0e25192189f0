// Announces that somebody else closed the open approval, and moves the focus off removed elements.
import { useEffect, useRef } from 'react';
import { announce } from '../../../ui/feedback/announcer.ts';
import { subjectOf, type Approval } from '../model/approval.ts';
import { focusDecision } from '../inbox/use-inbox-focus.ts';

const WORDS: Readonly<Record<string, string>> = {
  Approved: 'was approved',
  Denied: 'was denied',
  ChangesRequested: 'was sent back for changes',
  Expired: 'expired',
};

function wordOf(before: Approval, now: Approval | undefined): string | undefined {
  if (now === undefined) return 'was deleted';
  return now.uid === before.uid && now.phase !== 'Pending' ? (WORDS[now.phase] ?? 'is closed') : undefined;
}

export interface ConcurrentDecision {
  readonly approval: Approval | undefined;
  readonly missing: boolean;
}

/** Belongs to one address: the next opened item is not the result of this one. */
export function useConcurrentDecision({ approval, missing }: ConcurrentDecision): void {
  const last = useRef<Approval>(undefined);
  useEffect(() => {
    const before = last.current;
    if (approval === undefined && !missing) return;
    last.current = approval;
    const word = before?.phase === 'Pending' ? wordOf(before, approval) : undefined;
    if (before === undefined || word === undefined) return;
    const by = approval?.decision.by;
    announce(`${subjectOf(before)} ${word}${by === undefined ? '' : ` by ${by}`}`);
    if (document.activeElement === document.body) focusDecision();
  }, [approval, missing]);
}
