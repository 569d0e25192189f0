// The whole status of one Task: what is stored, the live facts of its claim, and the records folded from its journal.
import type { Resource } from '@svc/shared/resource';
import type { Store } from '../../store/store.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { RECORD_BYTES_MAX, RECORD_ITEMS_MAX } from '../core/limits.ts';
import { createHistoryView } from './history.ts';
import { createJoinView } from './joins.ts';
import { createMessageView, idempotencyOf, shownMessage } from './messages.ts';
import { readEntries } from './read-journal.ts';
import { traceOf, type TraceEntry } from './trace.ts';
import { formatCursor } from './trace-cursor.ts';

/** Reads, never writes. Arrays that are too long are cut; `truncated` then says where the rest is. */
export async function expandTaskStatus(store: Store, task: Resource): Promise<Readonly<Record<string, unknown>>> {
  const { uid } = task.metadata;
  const history = createHistoryView();
  const messages = createMessageView();
  const joins = createJoinView();
  const trace = createTraceCollector();
  for await (const { seq, entry } of readEntries(store, uid)) {
    history.add(entry);
    messages.add(entry);
    joins.add(entry);
    trace.add(seq, traceOf(entry));
  }
  const all = [...messages.items()];
  const shown = all.slice(0, RECORD_ITEMS_MAX);
  const truncated = {
    ...trace.truncated(),
    ...cut('messages', all.length, shown.at(-1)?.message_id),
    ...cut('message_idempotency', all.length, shown.at(-1)?.message_id),
    ...cut('history', history.items.length, undefined),
    ...cut('join_states', joins.items.length, undefined),
  };
  return {
    ...task.status,
    ...(await liveClaim(store, task.metadata.uid, task.status)),
    trace: trace.items,
    history: history.items.slice(0, RECORD_ITEMS_MAX),
    messages: shown.map(shownMessage),
    message_idempotency: shown.map(idempotencyOf),
    join_states: joins.items.slice(0, RECORD_ITEMS_MAX),
    ...(Object.keys(truncated).length > 0 && { truncated }),
  };
}

function cut(name: string, total: number, after: string | undefined): Readonly<Record<string, unknown>> {
  if (total <= RECORD_ITEMS_MAX) return {};
  return { [name]: { total, returned: RECORD_ITEMS_MAX, ...(after !== undefined && { continue: after }) } };
}

function createTraceCollector() {
  const items: TraceEntry[] = [];
  let bytes = 0;
  let last: string | undefined;
  let total = 0;
  return {
    items,
    add(seq: number, entries: readonly TraceEntry[]) {
      entries.forEach((entry, index) => {
        total += 1;
        if (total > items.length + 1 || items.length >= RECORD_ITEMS_MAX || bytes >= RECORD_BYTES_MAX) return;
        bytes += JSON.stringify(entry).length;
        items.push(entry);
        last = formatCursor({ seq, index });
      });
    },
    truncated: () => (total > items.length ? { trace: { total, returned: items.length, continue: last } } : {}),
  };
}

/** Claim of a run as it is now, from the one in a status: leases are renewed without touching the object that the status is of. */
export async function liveClaim(
  store: Store,
  taskUid: string,
  { claimedBy, leaseUntil, lastHeartbeat }: Resource['status'],
): Promise<Readonly<Record<string, unknown>>> {
  if (claimedBy === undefined) return {};
  const item = await store.getWorkItem(TASK_QUEUE, taskUid);
  if (!item || item.owner === undefined) return {};
  // Each heartbeat moves the end of the lease by as much as it moved since the claim.
  const renewedAt = item.leaseUntil - Date.parse(String(leaseUntil)) + Date.parse(String(lastHeartbeat));
  return {
    claimedBy: item.owner,
    leaseUntil: new Date(item.leaseUntil).toISOString(),
    ...(Number.isFinite(renewedAt) && { lastHeartbeat: new Date(renewedAt).toISOString() }),
  };
}
