// Notes the ends and interruptions of runs that came over A2A, in the transaction that writes them.
import type { RunChange, RunListener } from '../../engine/run-listeners.ts';
import type { Resource } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import type { Bindings } from '../../sessions/bindings.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { moveRecord, readRecord, taskKey, turnKey, type TaskRecord } from './records.ts';

export interface ListenerDeps {
  readonly clock: Clock;
  readonly bindings: Bindings;
  /** Called with the record as it now is, in the same transaction. */
  readonly onChanged: (tx: StoreTransaction, record: TaskRecord) => Promise<void>;
}

export function createA2aRunListener({ clock, bindings, onChanged }: ListenerDeps): RunListener {
  return {
    name: 'a2a',
    async onRunChange(tx, task, change) {
      // The stored record decides: labels of a Task are its writers'.
      if (!isChange(change)) return;
      const record = await recordOf(tx, task, bindings);
      if (record) await onChanged(tx, await moveRecord(tx, record, clock.now()));
    },
  };
}

const isChange = (change: RunChange): boolean => change.kind === 'ended' || change.why === 'approval';

async function recordOf(reader: StoreReader, { metadata: { uid } }: Resource, bindings: Bindings): Promise<TaskRecord | undefined> {
  const own = await readRecord(reader, taskKey(uid));
  if (own) return own;
  const binding = await bindings.read(reader, uid);
  return binding && readRecord(reader, turnKey(binding.uid, binding.sequence));
}
