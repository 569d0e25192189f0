// The SSE endpoints of resources and events, and the list of past events (docs/api-guide.md).
import type { EventRecord } from '@svc/shared/api/watch';
import { defined } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { EventQuery, StreamOptions, WatchService } from '../../registry/watch/watch.ts';
import type { CallerGate } from '../gate/caller.ts';
import type { Turns } from '../outflow/turns.ts';
import { badParameter, type Query } from '../query.ts';
import { json, type Call, type Reply, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE } from '../sse/event-stream.ts';
import type { StreamCaller, StreamHub, StreamPurpose } from '../sse/stream-hub.ts';
import { feedEvents, feedResources } from '../sse/watch-feed.ts';
import { arrayReply, type PageOf } from './array-stream.ts';
import { labelsOf, READ_PAGE } from './list-query.ts';
import {
  afterParameter,
  kindFilter,
  labelSelectorParameter,
  lastEventIdHeader,
  limitParameter,
  LIST_LIMIT,
  nameFilter,
  namespaceFilter,
  namespacesParameter,
  sinceParameter,
  eventSortParameter,
  heartbeatsFilter,
  typeFilter,
  uidFilter,
} from './parameters.ts';
import { arrayOf } from './schema-parts.ts';
import { pageOf, ref } from './schemas.ts';

export interface WatchServices {
  readonly watches: WatchService;
  readonly gate: CallerGate;
  readonly hub: StreamHub;
}

const ANY_SEQ = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function streamCaller(gate: CallerGate, call: Call, purpose: StreamPurpose): StreamCaller {
  return { address: call.clientAddress, purpose, stillAllowed: () => gate.authenticate(call.request) };
}

/** Cursor of a watch: the header of a reconnecting client wins over the address of its first request. */
function cursorOf(call: Call): number | undefined {
  const header = call.header('last-event-id')?.trim();
  if (header === undefined || header === '') return call.query.integer('since', ANY_SEQ);
  if (!/^\d{1,16}$/.test(header)) throw badParameter('Last-Event-ID', 'must be the id of an event of this stream');
  return Number(header);
}

function streamOptions({ streamPortions }: Call, signal: AbortSignal, since: number | undefined): StreamOptions {
  return { signal, takeTurn: (read) => streamPortions.run(read, signal), ...(since !== undefined && { since }) };
}

export function watchRoute(kind: KindDefinition, { watches, gate, hub }: WatchServices): Route {
  return {
    method: 'GET',
    path: `/v1/${kind.plural}/watch`,
    access: 'reader',
    tag: kind.kind,
    operationId: `watch${kind.kind}s`,
    summary: `Watch ${kind.plural}`,
    description:
      'Server-sent events. Without a cursor: the current matches (`event: resource`, marked `snapshot`), `event: synced`, then every change. With one: every change after it, or `event: resync` and a fresh snapshot when it is too old. Items of a snapshot have the id 0 up to the last one: a stream that is resumed from it gets the whole log, or another snapshot where the log has no start. To begin again with a snapshot, leave the cursor out. The server says why it ends a stream in `event: close`.',
    query: [namespacesParameter, nameFilter, labelSelectorParameter, sinceParameter],
    headers: [lastEventIdHeader],
    responses: {
      200: { description: 'The stream, with the schema of its items.', schema: ref('WatchItem'), contentType: EVENT_STREAM_TYPE },
    },
    handle: async (call) => {
      const filter = { namespace: call.query.namespaces(), name: call.query.text('name'), labels: labelsOf(call.query) };
      const [query, since] = [{ kind: kind.kind, ...defined(filter) }, cursorOf(call)];
      return hub.reply(streamCaller(gate, call, 'watch'), (signal) =>
        feedResources(watches.watch(call.context, query, streamOptions(call, signal, since))),
      );
    },
  };
}

function eventQueryOf(query: Query): EventQuery {
  const [type, kind, name] = [query.text('type'), query.text('kind'), query.text('name')];
  const heartbeats = query.oneOf('heartbeats', ['true', 'false']) === 'false' ? false : undefined;
  // No namespace means all: events are a log to filter, not objects to address.
  return defined({ type, kind, name, heartbeats, namespace: query.namespaceFilter() });
}

async function listEvents(watches: WatchService, call: Call): Promise<Reply> {
  const { query } = call;
  const [limit, after] = [query.integer('limit', LIST_LIMIT), query.integer('after', ANY_SEQ)];
  const [since, order] = [query.integer('since', ANY_SEQ), query.oneOf('sort', ['createdAt', '-createdAt'])];
  const filter = { ...eventQueryOf(query), ...defined({ uid: query.text('uid'), since, order }), limit: limit ?? READ_PAGE };
  const page = (from: number | undefined, turns: Turns) =>
    turns.run(() => watches.listEvents(call.context, { ...filter, ...defined({ after: from }) }));
  if (limit !== undefined || after !== undefined) return json(await page(after, call.firstPortions));
  const pages = async (from: number | undefined, turns: Turns): Promise<PageOf<EventRecord>> => {
    const { items, continue: next } = await page(from, turns);
    return { items, next: next === undefined ? undefined : () => pages(Number(next), call.portions) };
  };
  return arrayReply(await pages(undefined, call.firstPortions));
}

const EVENT_FILTERS = [typeFilter, kindFilter, namespaceFilter, nameFilter, heartbeatsFilter];

export function eventRoutes({ watches, gate, hub }: WatchServices): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/events',
      access: 'reader',
      tag: 'Events',
      operationId: 'listEvents',
      summary: 'List past events',
      description:
        "Changes of resources and facts from the server's parts, oldest first, as far back as they are retained. Pages like every list.",
      query: [...EVENT_FILTERS, uidFilter, sinceParameter, limitParameter, afterParameter, eventSortParameter],
      responses: { 200: { description: 'The events.', schema: { oneOf: [arrayOf(ref('Event')), pageOf(ref('Event'))] } } },
      inPortions: true,
      handle: (call) => listEvents(watches, call),
    },
    {
      method: 'GET',
      path: '/v1/events/watch',
      access: 'reader',
      tag: 'Events',
      operationId: 'watchEvents',
      summary: 'Watch events',
      description: 'Server-sent events named `event`. Without a cursor: from now on.',
      query: [...EVENT_FILTERS, sinceParameter],
      headers: [lastEventIdHeader],
      responses: {
        200: { description: 'The stream, with the schema of its items.', schema: ref('Event'), contentType: EVENT_STREAM_TYPE },
      },
      handle: async (call) => {
        const [query, since] = [eventQueryOf(call.query), cursorOf(call)];
        return hub.reply(streamCaller(gate, call, 'events'), (signal) =>
          feedEvents(watches.watchEvents(call.context, query, streamOptions(call, signal, since))),
        );
      },
    },
  ];
}
