// For tests of background work: a log that can be read, and stores of every engine.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Claim, Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function keptLog(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (fields: unknown, message?: unknown): void =>
      void lines.push({ level, message: String(message), fields: fields as LogLine['fields'] });
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

/** Lets what is under way go on for some turns of the event loop: for what must not happen, which has no fact to wait for. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

export interface StoreEngine {
  readonly name: string;
  readonly skip: boolean;
  /** An empty store of its own. */
  readonly open: (clock: Clock) => Promise<Store>;
}

export const storeEngines: readonly StoreEngine[] = [
  { name: 'SQLite', skip: false, open: (clock) => openSqliteStore({ path: ':memory:', clock }) },
];

/** Takes the lease that the tests of leader-run controllers write under. */
export function takeLease(store: Store, now: number, owner = 'leader'): Promise<Claim> {
  const queue = 'test.lease';
  return store.transaction(async (tx) => {
    const item = { queue, key: 'lease', namespace: '', name: 'lease', rank: 0, notBefore: 0, requirements: {} };
    if (!(await tx.getWorkItem(queue, item.key))) await tx.enqueueWork(item);
    const capabilities = { gpu: false, supportedModels: [], secrets: false };
    const [claim] = await tx.claimWork({ queue, owner, now, leaseMs: 30_000, limit: 1, capabilities });
    if (!claim) throw new Error('the lease is held');
    return claim;
  });
}
