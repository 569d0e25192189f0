// Invariants of journals: no gaps, one holder at a time in the order of its fences, one end.
import type { JournalEntry } from '../../../server/store/store.ts';
import type { Evidence, Violation } from './evidence.ts';
import { readRun } from './run-record.ts';

type Check = (journal: readonly JournalEntry[]) => string[];

function perTask(evidence: Evidence, invariant: string, check: Check): Violation[] {
  return evidence.tasks.flatMap(({ name, uid }) =>
    check(evidence.journals.get(uid) ?? []).map((detail) => ({ invariant, task: name, detail })),
  );
}

export function journalsHaveNoGaps(evidence: Evidence): Violation[] {
  return perTask(evidence, 'a journal has no gaps', (journal) =>
    journal.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`entry ${seq} stands in place ${index + 1}`])),
  );
}

/** Fences grow with each claim, and every entry with a worker names the holder of the latest claim. */
export function onlyTheHolderWrites(evidence: Evidence): Violation[] {
  return perTask(evidence, 'only the holder of the fence writes', (journal) => {
    const found: string[] = [];
    let holder: { worker: string; fence: number } | undefined;
    for (const { seq, type, data } of journal) {
      const worker = typeof data['worker'] === 'string' ? data['worker'] : undefined;
      if (type === 'run.claimed') {
        const fence = Number(data['fence']);
        if (holder && fence <= holder.fence) found.push(`entry ${seq}: fence ${fence} after ${holder.fence}`);
        holder = { worker: worker ?? '', fence };
      } else if (!holder) found.push(`entry ${seq}: ${type} before any claim`);
      else if (worker !== undefined && worker !== holder.worker)
        found.push(`entry ${seq}: ${type} by ${worker} while ${holder.worker} holds it`);
    }
    return found;
  });
}

export function runsEndOnce(evidence: Evidence): Violation[] {
  return perTask(evidence, 'a run ends once, with its last entry', (journal) => {
    const { ends } = readRun(journal);
    const [end] = ends;
    if (ends.length !== 1 || !end) return [`it has ${ends.length} ends`];
    return end.seq === journal.length ? [] : [`its end is entry ${end.seq} of ${journal.length}`];
  });
}

const END_FACTS = new Set(['task.succeeded', 'task.failed', 'task.deadletter']);

/** Facts beside the journal are fenced too: one with a worker names the holder of the latest claim. A claim that ends its run at once states the end alone. */
export function holderViolations({ changes, tasks, journals }: Evidence): Violation[] {
  const invariant = 'only the holder of the fence states facts of a run';
  const holders = new Map<string, string>();
  const lastHolders = new Map(tasks.map(({ name, uid }) => [name, readRun(journals.get(uid) ?? []).claims.at(-1)?.worker]));
  return changes.flatMap(({ kind, name, seq, fact }): Violation[] => {
    const worker = fact?.data?.['worker'];
    if (kind !== 'Task' || typeof worker !== 'string') return [];
    if (fact?.type === 'task.claimed') holders.set(name, worker);
    const holder = (END_FACTS.has(fact?.type ?? '') ? lastHolders : holders).get(name) ?? worker;
    return worker === holder
      ? []
      : [{ invariant, task: name, detail: `change ${seq}: ${fact?.type} by ${worker} while ${holder} holds it` }];
  });
}
