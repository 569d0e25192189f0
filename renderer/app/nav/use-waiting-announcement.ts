// Announces approvals that arrive, for screen readers: they do not read out a changed number.
import { useEffect, useRef } from 'react';
import { announce } from '../../ui/feedback/announcer.ts';

/** `waiting` is the number for the namespace, and undefined while it is not known. */
export function useWaitingAnnouncement(waiting: number | undefined, namespace: string | undefined): void {
  const before = useRef<{ readonly namespace: string | undefined; readonly waiting: number }>(undefined);
  useEffect(() => {
    if (waiting === undefined) return;
    const arrived = before.current?.namespace === namespace && before.current !== undefined && waiting > before.current.waiting;
    before.current = { namespace, waiting };
    if (arrived) announce(waiting === 1 ? '1 approval waits' : `${waiting} approvals wait`);
  }, [waiting, namespace]);
}
