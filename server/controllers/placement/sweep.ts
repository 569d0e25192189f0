// Sweeps the ready work of one demand in bounded portions: marks Tasks that no worker can run as unschedulable, or removes the mark.
import { TASK_QUEUE } from '../../engine/task-queue.ts';
import type { WorkItem, WorkRequirements } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { clearAll, noteAll, type NoteContext } from './notes.ts';
import { forgetNotedDemand, recordNotedDemand } from './noted-demands.ts';

/** Remaining bounds of one pass, over all demands. */
export interface Budget {
  /** Items examined. */
  listed: number;
  /** Tasks read, and written where they need it. */
  touched: number;
}

export interface Sweep {
  readonly demand: WorkRequirements;
  /** Text of the notes; undefined when they are removed. */
  reason: string | undefined;
  /** Whether the store records that Tasks of this demand may carry notes. */
  recorded: boolean;
  /** Items dealt with in the last complete round, and those met in this one. */
  done: ReadonlySet<string>;
  seen: Set<string>;
  /** Position at which the round continues. */
  after: Pick<WorkItem, 'rank' | 'key'> | undefined;
}

const PAGE_SIZE = 50;

/** An item's stay in the queue: a claim ends it, and takes the note off the Task. */
const stayOf = ({ key, fence }: WorkItem): string => `${key}@${fence}`;

export function beginSweep(demand: WorkRequirements, recorded: boolean): Sweep {
  return { demand, recorded, reason: undefined, done: new Set(), seen: new Set(), after: undefined };
}

/** Notes for another reason have to be written again. */
export function setReason(sweep: Sweep, reason: string | undefined): void {
  if (sweep.reason === reason) return;
  Object.assign(sweep, { reason, done: new Set(), seen: new Set(), after: undefined });
}

/** Continues the round; true when it has come to its end, and the next call begins a new one. */
export async function sweepOn(context: NoteContext, sweep: Sweep, budget: Budget): Promise<boolean> {
  while (budget.listed > 0 && budget.touched > 0) {
    const page = await context.store.listReadyWork(TASK_QUEUE, sweep.demand, {
      limit: PAGE_SIZE,
      ...(sweep.after && { after: sweep.after }),
    });
    const open = page.filter((item) => !sweep.done.has(stayOf(item)));
    budget.listed -= page.length;
    budget.touched -= open.length;
    if (open.length > 0) await touch(context, sweep, open);
    for (const item of page) sweep.seen.add(stayOf(item));
    sweep.after = page.at(-1);
    if (page.length === PAGE_SIZE) continue;
    Object.assign(sweep, { done: sweep.seen, seen: new Set(), after: undefined });
    return true;
  }
  return false;
}

async function touch(context: NoteContext, sweep: Sweep, items: readonly WorkItem[]): Promise<void> {
  const { demand, reason, recorded } = sweep;
  if (reason === undefined) return clearAll(context, items);
  await noteAll(context, items, {
    reason,
    first: async (tx) => {
      if (!recorded) await recordNotedDemand(tx, demand);
    },
  });
  sweep.recorded = true;
}

/** No Task of this demand carries a note. */
export async function endSweep({ store, claim }: NoteContext, { demand, recorded }: Sweep): Promise<void> {
  if (!recorded) return;
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    await forgetNotedDemand(tx, demand);
  });
}
