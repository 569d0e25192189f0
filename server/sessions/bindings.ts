// Turns by the Task that runs them. A binding is written in the transaction that creates its Task and never changes: those of recent runs are kept.
import { LRUCache } from 'lru-cache';
import { partName } from '../registry/principal.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { turnBindings, type TurnBinding } from './records.ts';

const KEPT = 1_000;

/** False for Tasks that no Session created: saves their lookup. Clients can write the labels of a Task, never its creator. */
export const mayRunTurn = ({ createdBy }: Pick<StoredObject, 'createdBy'>): boolean => createdBy === partName('sessions');

export class Bindings {
  readonly #recent = new LRUCache<string, TurnBinding>({ max: KEPT });

  async read(reader: StoreReader, taskUid: string): Promise<TurnBinding | undefined> {
    const kept = this.#recent.get(taskUid);
    if (kept) return kept;
    const binding = await turnBindings.get(reader, taskUid);
    if (binding) this.#recent.set(taskUid, binding);
    return binding;
  }

  /** Kept at once: the uid of a Task whose creation is rolled back is never read. */
  async put(tx: StoreTransaction, taskUid: string, binding: TurnBinding): Promise<void> {
    await turnBindings.put(tx, taskUid, binding);
    this.#recent.set(taskUid, binding);
  }
}
