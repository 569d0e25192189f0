// One resource watch: snapshot (unless the client's cursor is still retained), synced, then live changes; a resync when the log was pruned beyond it.
//
// Exactness: the snapshot notes the log's head before its first page (`from`) and after its last one (`to`). Pages may already show changes of
// (from, to], so these are judged against what the pages showed (WatchView) and delivered before `synced`; everything after `to` is newer than
// every page and follows the log as it is. Only the last message before `synced` carries `to` as its seq. The others carry 0: a client that
// resumes after one of them gets the whole log or, once that was pruned, another snapshot, and misses nothing.
import type { WatchItem } from '@svc/shared/api/watch';
import { PORTION_MAX_BYTES } from '../../store/page-bytes.ts';
import type { Change, StoredObject, StoreReader } from '../../store/store.ts';
import type { TailHold } from './change-tail.ts';
import { followChanges, isRetained, readLog } from './follow-changes.ts';
import { toSnapshotItem, toWatchItem } from './watch-item.ts';
import { NEEDS_HISTORY, WatchView } from './watch-view.ts';
import type { Verdict } from './watch-view.ts';
import type { TakeTurn, WatchMessage, WatchQuery } from './watch.ts';

/** Rows of an object's history read at once; facts about it lie between its changes. */
const HISTORY_BATCH = 20;

type Batch = readonly WatchMessage<WatchItem>[];

export interface ResourceStream {
  readonly store: StoreReader;
  readonly hold: TailHold;
  readonly query: WatchQuery;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  readonly takeTurn: TakeTurn;
  /** Objects read at once for a snapshot. */
  readonly pageSize: number;
}

export async function* streamResources(stream: ResourceStream): AsyncGenerator<Batch> {
  const { store, query, since, signal } = stream;
  let seq = since !== undefined && (await isRetained(store, since)) ? since : undefined;
  let view = new WatchView(query.labels, seq === undefined ? 'fresh' : 'resumed');
  let resync = since !== undefined && seq === undefined;
  while (!signal.aborted) {
    if (resync) yield [{ type: 'resync', seq: 0 }];
    seq ??= yield* snapshot(stream, view);
    if (seq !== undefined && (yield* live(stream, { view, after: seq })) === 'ended') return;
    [seq, view, resync] = [undefined, new WatchView(query.labels, 'fresh'), true];
  }
}

/** Returns the seq from which the live part follows; undefined when the log was pruned past the beginning while the pages were read. */
async function* snapshot(stream: ResourceStream, view: WatchView): AsyncGenerator<Batch, number | undefined> {
  const { store, signal } = stream;
  const from = (await store.changeBounds()).head;
  // The last item of all carries `to`, so the last page waits until that is known.
  let held: WatchItem[] = [];
  for await (const { objects, isLast } of pages(stream)) {
    if (signal.aborted) return undefined;
    objects.forEach((object) => view.showSnapshot(object));
    const items = objects.map(toSnapshotItem);
    if (isLast) held = items;
    else if (items.length) yield items.map((item) => ({ type: 'item', seq: 0, item }));
  }
  const to = (await store.changeBounds()).head;
  const overtaken = await overtakenItems(stream, view, { from, to });
  if (!overtaken) return undefined;
  view.endSnapshot();
  const items = [...held, ...overtaken];
  const messages: Batch = items.map((item, index) => ({ type: 'item', seq: index === items.length - 1 ? to : 0, item }));
  yield [...messages, { type: 'synced', seq: to }];
  return to;
}

/** The changes of (from, to] that the pages did not show. */
async function overtakenItems(
  { store, query, takeTurn }: ResourceStream,
  view: WatchView,
  { from, to }: { from: number; to: number },
): Promise<WatchItem[] | undefined> {
  const items: WatchItem[] = [];
  for (let seq = from; seq < to;) {
    const after = seq;
    const read = await takeTurn(() => readLog(store, query, { after, through: to }));
    if (!read) return undefined;
    for (const change of read.changes.filter((candidate) => candidate.seq <= to)) {
      const item = toItem(view.judge(change), change);
      if (item) items.push(item);
    }
    seq = read.seq;
  }
  return items;
}

async function* live(
  { store, hold, query, signal, takeTurn }: ResourceStream,
  { view, after }: { view: WatchView; after: number },
): AsyncGenerator<Batch, 'lost' | 'ended'> {
  const changes = followChanges({ store, hold, filter: query, signal, takeTurn }, after);
  for (;;) {
    const next = await changes.next();
    if (next.done) return next.value;
    const messages: WatchMessage<WatchItem>[] = [];
    for (const change of next.value) {
      const item = toItem(await judgeWithHistory(store, view, change), change);
      if (item) messages.push({ type: 'item', seq: change.seq, item });
    }
    if (messages.length) yield messages;
  }
}

function toItem(verdict: Verdict, change: Change): WatchItem | undefined {
  return verdict === undefined || verdict === NEEDS_HISTORY ? undefined : toWatchItem(verdict, change);
}

async function judgeWithHistory(store: StoreReader, view: WatchView, change: Change): Promise<Verdict> {
  const verdict = view.judge(change);
  if (verdict !== NEEDS_HISTORY) return verdict;
  view.learn(change, await matchedBefore(store, view, change));
  return view.judge(change);
}

/** Whether the object matched before this change, from its previous change. When that one is pruned the answer is yes: to a client that never had it, `deleted` does no harm. */
async function matchedBefore(store: StoreReader, view: WatchView, { kind, namespace, name, seq }: Change): Promise<boolean> {
  for (let before = seq; ;) {
    const earlier = await store.readChanges({ kind, namespace, name, after: before, descending: true, limit: HISTORY_BATCH });
    const previous = earlier.find((change) => change.object);
    if (previous?.object) return previous.type !== 'deleted' && view.matches(previous.object);
    const last = earlier.at(-1);
    if (!last || earlier.length < HISTORY_BATCH || last.seq <= 1) return true;
    before = last.seq;
  }
}

interface SnapshotPage {
  readonly objects: readonly StoredObject[];
  /** None follows. */
  readonly isLast: boolean;
}

/** The objects that match, a portion at a time. */
async function* pages({ store, query: selection, pageSize, takeTurn }: ResourceStream): AsyncGenerator<SnapshotPage> {
  const { kind, namespace, name, labels } = selection;
  if (name !== undefined && namespace !== undefined) {
    const object = await takeTurn(() => store.getObject({ kind, namespace, name }));
    if (object && new WatchView(labels, 'fresh').matches(object)) yield { objects: [object], isLast: true };
    return;
  }
  // One more than a page says whether another one follows.
  const query = { kind, limit: pageSize + 1, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) };
  let after: { namespace: string; name: string } | undefined;
  for (;;) {
    const wanted = { ...query, ...(after && { after }) };
    const { objects, full } = await takeTurn(() => store.listPage(wanted, PORTION_MAX_BYTES));
    const isLast = !full && objects.length <= pageSize;
    const page = isLast ? objects : objects.slice(0, pageSize);
    const last = page.at(-1);
    yield { objects: name === undefined ? page : page.filter((object) => object.name === name), isLast };
    if (isLast || !last) return;
    after = { namespace: last.namespace, name: last.name };
  }
}
