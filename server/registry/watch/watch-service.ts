// WatchService over a store: checks the caller, then hands each stream a hold on the shared tail for as long as it is read.
import { invalidFields } from '@svc/shared/errors';
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import { requireRole } from '../authorise.ts';
import { streamChanges } from './change-stream.ts';
import { ChangeTail } from './change-tail.ts';
import type { TailHold, TailOptions } from './change-tail.ts';
import { streamEvents } from './event-stream.ts';
import { listEvents } from './list-events.ts';
import { requireKind } from '../mapping.ts';
import type { RequestContext } from '../registry.ts';
import { streamResources } from './resource-stream.ts';
import type { TakeTurn, WatchMessage, WatchService, WatchStream } from './watch.ts';

const SNAPSHOT_PAGE_SIZE = 200;
const atOnce: TakeTurn = (read) => read();

export interface WatchServiceOptions extends TailOptions {
  /** Objects read at once for a snapshot. */
  readonly snapshotPageSize?: number;
}

export function createWatchService(options: WatchServiceOptions): WatchService {
  const { store, snapshotPageSize: pageSize = SNAPSHOT_PAGE_SIZE } = options;
  const tail = new ChangeTail(options);

  return {
    async position(context) {
      requireRole(context, 'reader', 'watching changes');
      return (await store.changeBounds()).head;
    },
    watch(context, query, { since, signal, takeTurn = atOnce }) {
      requireRole(context, 'reader', `watching ${requireKind(query.kind).plural.replaceAll('-', ' ')}`);
      checkScope(query);
      return openStream(tail, signal, (hold, ended) => streamResources({ store, hold, query, since, signal: ended, takeTurn, pageSize }));
    },
    watchChanges(context, query, { since, signal, takeTurn = atOnce }) {
      requireRole(context, 'reader', 'watching changes');
      checkScope(query);
      // "From now on" begins at this call, not at the first read of the stream.
      const start = since === undefined ? store.changeBounds().then(({ head }) => head) : Promise.resolve(since);
      start.catch(() => undefined);
      return openStream(tail, signal, async function* (hold, ended) {
        yield* streamChanges({ store, hold, query, since: await start, signal: ended, takeTurn });
      });
    },
    watchEvents(context, query, { since, signal, takeTurn = atOnce }) {
      requireEventReader(context);
      checkScope(query);
      // "From now on" begins at this call, not at the first read of the stream.
      const start = since === undefined ? store.changeBounds().then(({ head }) => head) : Promise.resolve(since);
      start.catch(() => undefined);
      return openStream(tail, signal, async function* (hold, ended) {
        yield* streamEvents({ store, hold, query, since: await start, signal: ended, takeTurn });
      });
    },
    async listEvents(context, request) {
      requireEventReader(context);
      checkScope(request);
      const { uid, kind, namespace, name } = request;
      if (uid !== undefined && (kind === undefined || namespace === undefined || name === undefined))
        throw invalidFields('the list of events', [{ path: 'uid', message: 'needs kind, namespace and name' }]);
      return listEvents(store, request);
    },
  };
}

function requireEventReader(context: RequestContext): void {
  requireRole(context, 'reader', 'reading events');
}

function checkScope({ namespace, name }: { namespace?: string; name?: string }): void {
  const faults = [
    { path: 'namespace', message: namespace === undefined ? undefined : namespaceProblem(namespace) },
    { path: 'name', message: name === undefined ? undefined : nameProblem(name) },
  ].filter((fault): fault is { path: string; message: string } => fault.message !== undefined);
  if (faults.length) throw invalidFields('the watch request', faults);
}

type Generate<Item> = (hold: TailHold, ended: AbortSignal) => AsyncGenerator<readonly WatchMessage<Item>[]>;

/** Joins the tail when iteration begins and leaves it when it ends: by the signal, by `return()` (even while a read is pending), or by an error. */
function openStream<Item>(tail: ChangeTail, signal: AbortSignal, generate: Generate<Item>): WatchStream<Item> {
  return {
    [Symbol.asyncIterator]() {
      const end = new AbortController();
      const onAbort = () => end.abort();
      const batches = held(tail, end.signal, generate);
      if (signal.aborted) end.abort();
      else signal.addEventListener('abort', onAbort, { once: true });
      const finished = () => signal.removeEventListener('abort', onAbort);
      return {
        async next() {
          const result = await batches.next();
          if (result.done) finished();
          return result;
        },
        async return() {
          end.abort();
          finished();
          return batches.return(undefined);
        },
      };
    },
  };
}

async function* held<Item>(
  tail: ChangeTail,
  ended: AbortSignal,
  generate: Generate<Item>,
): AsyncGenerator<readonly WatchMessage<Item>[], undefined> {
  if (ended.aborted) return undefined;
  const hold = await tail.hold();
  try {
    yield* generate(hold, ended);
  } finally {
    hold.release();
  }
  return undefined;
}
