// The whole status of one Task: what is stored, the live facts of its claim, and the records folded from its journal.
import type { Resource } from '@svc/shared/resource';
import type { Store } from '../../store/store.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { RECORD_BYTES_MAX, RECORD_ITEMS_MAX } from '../core/limits.ts';
import { createHistoryView } from './history.ts';
import { createJoinView } from './joins.ts';
import { createMessageView, idempotencyOf, shownMessage, type MessageRecord } from './messages.ts';
import { readEntriesInPortions } from './read-journal.ts';
import { traceOf, type TraceEntry } from './trace.ts';
import { formatCursor } from './trace-cursor.ts';

/** Reads, never writes. Arrays that are too long are cut; `truncated` then says where the rest is. */
export async function expandTaskStatus(store: Store, task: Resource): Promise<Readonly<Record<string, unknown>>> {
  const { uid } = task.metadata;
  const history = createHistoryView();
  const messages = createMessageView();
  const joins = createJoinView();
  const trace = createTraceCollector();
  for await (const { seq, entry } of readEntriesInPortions(store, uid)) {
    history.add(entry);
    messages.add(entry);
    joins.add(entry);
    trace.add(seq, traceOf(entry));
  }
  const { total, shown } = firstMessages(messages.items());
  const part = { total, returned: shown.length, after: shown.at(-1)?.message_id };
  const truncated = {
    ...trace.truncated(),
    ...cut('messages', part),
    ...cut('message_idempotency', part),
    ...cut('history', { total: history.items.length, returned: Math.min(history.items.length, RECORD_ITEMS_MAX) }),
    ...cut('join_states', { total: joins.items.length, returned: Math.min(joins.items.length, RECORD_ITEMS_MAX) }),
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

interface Part {
  readonly total: number;
  readonly returned: number;
  readonly after?: string | undefined;
}

function cut(name: string, { total, returned, after }: Part): Readonly<Record<string, unknown>> {
  if (total <= returned) return {};
  return { [name]: { total, returned, ...(after !== undefined && { continue: after }) } };
}

/** Those that fit, at least one. */
function firstMessages(messages: Iterable<MessageRecord>): { readonly total: number; readonly shown: readonly MessageRecord[] } {
  const all = [...messages];
  let bytes = 0;
  const end = all.findIndex((message, index) => {
    const full = index >= RECORD_ITEMS_MAX || bytes >= RECORD_BYTES_MAX;
    if (!full) bytes += JSON.stringify(message).length;
    return full;
  });
  return { total: all.length, shown: end < 0 ? all : all.slice(0, end) };
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
