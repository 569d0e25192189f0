// Ends a run that waits in no worker's hands when a denial or an expiry has decided it, so that its end needs no free worker.
import type { Clock } from '../../clock.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Store, WorkItem } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { DENIED_QUEUE, deniedTask } from '../approvals/approval-signal.ts';
import { settle } from '../core/settle.ts';
import { NO_VERDICTS } from '../core/verdicts.ts';
import type { RunObserver } from '../observer.ts';
import type { RunListeners } from '../run-listeners.ts';
import { writeRun, type RunWrite } from '../shell/commit.ts';
import { foldInPortions } from '../shell/fold-journal.ts';
import { foldGiven } from '../shell/signals.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { claimUnheld } from './unheld-claim.ts';

export interface DenialDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly observer: RunObserver;
  readonly runListeners: RunListeners;
}

/** Timer of the decisions that may have ended a run. Safe to repeat: a run that a worker holds or has ended is left alone. */
export function createDenialTimer(deps: DenialDeps) {
  const prepare = async (key: string) => {
    await endDenied(deps, deniedTask(key));
    return () => Promise.resolve(undefined);
  };
  return { queue: DENIED_QUEUE, prepare };
}

async function endDenied({ store, clock, observer, ...deps }: DenialDeps, uid: string): Promise<void> {
  const item = await store.getWorkItem(TASK_QUEUE, uid);
  if (!item || item.owner !== undefined) return;
  const { state, lastSeq } = await foldInPortions(store, uid);
  const signals = await store.readSignals(uid);
  const now = clock.now();
  const given = foldGiven(state, signals, now);
  const { entries, decision } = settle(state, { now, random: () => 0, worker: OWNER, verdicts: NO_VERDICTS });
  // Any other run, such as a paused one, needs a worker.
  if (decision.kind !== 'finished' || given.length + entries.length === 0) return;
  const end = { state, lastSeq, now, entries: [...given, ...entries], signalIds: signals.map(({ id }) => id) };
  const claim = await writeEnd({ store, ...deps }, item, end);
  if (claim) observer.recorded(claim, end.entries, { state, appendMs: clock.now() - now });
}

/** Owner of the claims that write these ends. */
const OWNER = 'approvals';

type End = Pick<RunWrite, 'state' | 'lastSeq' | 'now' | 'entries' | 'signalIds'>;

/** Undefined when a worker came first. */
async function writeEnd(
  { store, runListeners }: Pick<DenialDeps, 'store' | 'runListeners'>,
  { key: uid, namespace, name }: WorkItem,
  end: End,
) {
  try {
    return await transactAgain(store, async (tx) => {
      if (!(await tx.removeUnclaimedWork(TASK_QUEUE, uid))) return undefined;
      const claim = await claimUnheld(tx, { uid, namespace, name }, { owner: OWNER, now: end.now });
      const task = await tx.getObject({ kind: 'Task', namespace, name });
      const record = task && (await runListeners.openRecord(tx, task, claim));
      await writeRun(tx, { ...end, claim, record, change: { kind: 'finished', claim } }, runListeners);
      return claim;
    });
  } catch (error) {
    // The journal has grown since it was read.
    if (error instanceof LeaseLost) return undefined;
    throw error;
  }
}
