// Pages of the event log. A filter that the store has no index for is bounded in what it scans per page.
import type { EventRecord } from '@svc/shared/api/watch';
import { PAGE_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Change, ChangeQuery, StoreReader } from '../../store/store.ts';
import { matchesEvent, toEventRecord } from './event-record.ts';
import type { EventQuery, WatchService } from './watch.ts';

/** Changes examined for one page; a page that ends here is shorter than asked and has a `continue`. */
const SCANNED_MAX = 5000;
const READ_BATCH_MAX = 500;

export type EventListRequest = Parameters<WatchService['listEvents']>[1];

export async function listEvents(store: StoreReader, request: EventListRequest): Promise<{ items: EventRecord[]; continue?: string }> {
  const items: EventRecord[] = [];
  let position = startOf(request);
  for (let scanned = 0; scanned < SCANNED_MAX;) {
    const limit = Math.min(READ_BATCH_MAX, Math.max(request.limit + 1 - items.length, 1));
    const { changes: batch, full } = await store.readChangePage({ ...filterOf(request), ...position, limit }, PAGE_MAX_BYTES);
    const inRange = batch.filter((change) => change.seq > (request.since ?? 0));
    const own = await changesOfUid(store, request, inRange);
    for (const change of own.filter((candidate) => matchesEvent(request, candidate))) {
      if (items.length === request.limit) return { items, continue: continueAfter(items) };
      items.push(toEventRecord(change));
    }
    const last = batch.at(-1);
    if (!last || (!full && batch.length < limit) || inRange.length < batch.length) return { items };
    position = { ...position, after: last.seq };
    scanned += batch.length;
  }
  return { items, continue: String(position.after) };
}

function startOf({ order, after, since }: EventListRequest): Pick<ChangeQuery, 'after' | 'descending'> {
  if (order === '-createdAt') return { after: after ?? 0, descending: true };
  return { after: Math.max(after ?? 0, since ?? 0) };
}

function filterOf({ kind, namespace, name }: EventQuery): Partial<Pick<Change, 'kind' | 'namespace' | 'name'>> {
  return { ...(kind !== undefined && { kind }), ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
}

function continueAfter(items: readonly EventRecord[]): string {
  return items.at(-1)?.id ?? '';
}

/** Changes read for the object that a fact belongs to, should facts alone be in a stretch before it. */
const LOOK_BACK_MAX = 100;

/** A fact has no uid: it belongs to the object of the change before it. Where the log no longer has that one, it is kept. */
async function changesOfUid(store: StoreReader, request: EventListRequest, batch: readonly Change[]): Promise<readonly Change[]> {
  const { uid, order } = request;
  const ascending = order === '-createdAt' ? batch.toReversed() : batch;
  const [first] = ascending;
  if (uid === undefined || first === undefined) return batch;
  let owner = first.object ? undefined : await ownerBefore(store, request, first.seq);
  const own = ascending.filter((change) => {
    owner = change.object?.uid ?? owner;
    return owner === undefined || owner === uid;
  });
  return order === '-createdAt' ? own.toReversed() : own;
}

async function ownerBefore(store: StoreReader, request: EventListRequest, seq: number): Promise<string | undefined> {
  const before = { ...filterOf(request), after: seq, descending: true, limit: LOOK_BACK_MAX };
  const { changes } = await store.readChangePage(before, PAGE_MAX_BYTES);
  return changes.find(({ object }) => object !== undefined)?.object?.uid;
}
