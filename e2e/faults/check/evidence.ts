// Evidence of a scenario, read once all processes have ended: the store, the ledger, and the answers that clients got.
import type { Change, JournalEntry, Store, StoredObject } from '../../../server/store/store.ts';
import type { LedgerCall } from '../world/ledger.ts';
import type { AcknowledgedTask } from '../world/load.ts';
import type { TaskPlan } from '../world/play.ts';
import type { SeenEvent } from '../world/watch-client.ts';

/** Time in which a worker was stopped: calls that it was sending then may arrive once it continues. */
export interface Standstill {
  readonly worker: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

export interface WatchEvidence {
  readonly items: readonly SeenEvent[];
  readonly surprises: readonly string[];
  /** The newest change while the servers still ran: watchers must have received everything up to it. */
  readonly mustReach: number;
}

export interface StoreEvidence {
  readonly tasks: readonly StoredObject[];
  /** By the Task's uid. */
  readonly journals: ReadonlyMap<string, readonly JournalEntry[]>;
  readonly changes: readonly Change[];
  /** Tasks' work items that are still there. */
  readonly workLeft: number;
}

export interface Evidence extends StoreEvidence {
  readonly acknowledged: ReadonlyMap<string, AcknowledgedTask>;
  readonly sent: ReadonlyMap<string, TaskPlan>;
  readonly calls: readonly LedgerCall[];
  /** All events since the beginning. */
  readonly events: WatchEvidence;
  /** All changes of Tasks since the beginning. */
  readonly taskWatch: WatchEvidence;
  readonly standstills: readonly Standstill[];
}

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
  /** Name of the Task it is about. */
  readonly task?: string;
}

const PAGE = 1_000;
const TASK_QUEUE = 'task';

async function allTasks(store: Store): Promise<StoredObject[]> {
  const tasks: StoredObject[] = [];
  for (;;) {
    const last = tasks.at(-1);
    const page = await store.listObjects({
      kind: 'Task',
      limit: PAGE,
      ...(last && { after: { namespace: last.namespace, name: last.name } }),
    });
    tasks.push(...page);
    if (page.length < PAGE) return tasks;
  }
}

async function allChanges(store: Store): Promise<Change[]> {
  const changes: Change[] = [];
  for (;;) {
    const page = await store.readChanges({ after: changes.at(-1)?.seq ?? 0, limit: PAGE });
    changes.push(...page);
    if (page.length < PAGE) return changes;
  }
}

async function wholeJournal(store: Store, stream: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (;;) {
    const page = await store.readJournal(stream, entries.at(-1)?.seq ?? 0, PAGE);
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}

/** Reads a store without writers. */
export async function readStore(store: Store): Promise<StoreEvidence> {
  // Templates never run.
  const tasks = (await allTasks(store)).filter(({ spec }) => spec['mode'] !== 'template');
  const journals = new Map<string, JournalEntry[]>();
  for (const { uid } of tasks) journals.set(uid, await wholeJournal(store, uid));
  const { ready, waiting, claimed, parked } = await store.countWork(TASK_QUEUE, Date.now());
  return { tasks, journals, changes: await allChanges(store), workLeft: ready + waiting + claimed + parked };
}
