// Changes that concern the leases of one worker: the part of ticks that depends on kinds.
import type { WatchItem } from '@svc/shared/api/watch';
import { statusOf } from '@svc/shared/kinds/read';

/** Changes that concern the leases of a worker: those of its runs, of runs that another one takes over, and heartbeats, which renew leases. */
export function heldBy(worker: string) {
  /** Runs that the worker had when they were last sent or changed. */
  const had = new Set<string>();
  let anyTold = false;
  return {
    tell(runs: readonly { readonly uid: string }[]): void {
      anyTold = true;
      for (const { uid } of runs) had.add(uid);
    },
    /** Whether a change concerns the worker. Every Task does until the runs of the worker have been sent once. */
    concerns({ kind, name, resource }: WatchItem): boolean {
      if (kind === 'Worker') return name === worker;
      if (kind !== 'Task') return false;
      const { assignedWorker, phase } = statusOf('Task', resource);
      const its = assignedWorker === worker;
      const hadIt = had.delete(resource.metadata.uid);
      if (its && phase === 'Running') had.add(resource.metadata.uid);
      return its || hadIt || !anyTold;
    },
  };
}
