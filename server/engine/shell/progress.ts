// Progress of a call that prepares for long, as events of its Task. Not part of the record: a run never waits for them, and none ends it.
import { timestamp, type Clock } from '../../clock.ts';
import type { Claim, Fact, Store } from '../../store/store.ts';
import type { Logger } from '../../log/log.ts';
import type { CallProgress } from '../ports.ts';

interface ProgressReport {
  readonly requestId: string;
  readonly tool: string;
  readonly agent: string;
  readonly progress: CallProgress;
}

export type ProgressListener = (report: ProgressReport) => void;

export interface ProgressDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Window within which the last progress event of one call and type is kept and the others are dropped. */
const PROGRESS_COALESCE_MS = 500;

export function createProgressFacts({ store, clock, log }: ProgressDeps, { namespace, name, key }: Claim): ProgressListener {
  const gathered = new Map<string, ProgressReport>();
  let waiting = false;
  const write = async (): Promise<void> => {
    const facts = [...gathered.values()].map(factOf);
    gathered.clear();
    const at = timestamp(clock.now());
    await store.transaction(async (tx) => {
      const task = await tx.getObject({ kind: 'Task', namespace, name });
      if (task?.uid !== key) return;
      for (const fact of facts) await tx.appendFact({ kind: 'Task', namespace, name }, at, fact);
    });
  };
  const soon = async (): Promise<void> => {
    // The first message is sent at once; later ones are batched.
    while (gathered.size > 0) {
      await write().catch((error: unknown) =>
        log.warn({ err: error, task: `${namespace}/${name}` }, 'progress of a call was not published'),
      );
      await clock.sleep(PROGRESS_COALESCE_MS);
    }
    waiting = false;
  };
  return (report) => {
    gathered.set(`${report.requestId} ${report.progress.type}`, report);
    if (waiting) return;
    waiting = true;
    void soon();
  };
}

function factOf({ requestId, tool, agent, progress: { type, message, data } }: ProgressReport): Fact {
  const action = type.slice(type.lastIndexOf('.') + 1);
  return { type, source: 'engine', action, message, data: { request_id: requestId, tool, agent, ...data } };
}
