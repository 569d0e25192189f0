// Watches of objects and of events that outlive their connection: they resume after the last change seen, so nothing is lost or repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { EventRecord, WatchItem } from '@svc/shared/api/watch';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { ApiError, type ApiClient } from './client.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { sessionPath, type SessionHandle } from './session-api.ts';

const RETRY: BackoffRule = { backoffMs: 200, maxBackoffMs: 5_000, jitter: 'equal' };

interface StreamOptions {
  readonly signal: AbortSignal;
  /** Called once per lost connection. */
  readonly onLost?: (error: Error) => void;
}

export interface WatchOptions extends StreamOptions {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
}

export interface EventFilter {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  /** `false` leaves out the updates of Workers. */
  readonly heartbeats?: false | undefined;
}

export type WatchEvent = { readonly type: 'item'; readonly item: WatchItem } | { readonly type: 'synced' } | { readonly type: 'resync' };

interface Position {
  lastEventId: string | undefined;
  connected: boolean;
  failures: number;
}

function parseChange(event: string | undefined, data: string): WatchEvent | undefined {
  if (event === 'resource') return { type: 'item', item: JSON.parse(data) as WatchItem };
  return event === 'synced' || event === 'resync' ? { type: event } : undefined;
}

/** A permanent refusal; a server that is full or restarting is retried. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429;
  return !(error instanceof CliError && error.exitCode === EXIT.unreachable);
}

interface StreamCall<Item> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly options: StreamOptions;
  readonly parse: (event: string | undefined, data: string) => Item | undefined;
}

async function* readStream<Item>(client: ApiClient, call: StreamCall<Item>, position: Position): AsyncGenerator<Item, void, void> {
  const { path, query, parse } = call;
  for await (const message of client.stream({ path, query, signal: call.options.signal, lastEventId: position.lastEventId })) {
    position.connected = true;
    position.failures = 0;
    // Items before the end of a snapshot have the id 0: a stream that is lost there begins again, with a snapshot.
    if (message.id && message.id !== '0') position.lastEventId = message.id;
    const item = parse(message.event, message.data);
    if (item) yield item;
  }
}

/** The items of a stream until the signal. Unless `connected`, the first connection must succeed; later ones are retried until they do. */
async function* resumedStream<Item>(
  client: ApiClient,
  call: StreamCall<Item>,
  { lastEventId, connected = false }: { readonly lastEventId: string | undefined; readonly connected?: boolean },
): AsyncGenerator<Item, void, void> {
  const { signal, onLost } = call.options;
  const position: Position = { lastEventId, connected, failures: 0 };
  while (!signal.aborted) {
    try {
      yield* readStream(client, call, position);
    } catch (error) {
      if (signal.aborted) return;
      if (!position.connected || isFinal(error)) throw error;
      if (position.failures === 0) onLost?.(error as Error);
    }
    position.failures += 1;
    const waitMs = backoffMs(RETRY, { failures: position.failures, random: Math.random() });
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The current matches, `synced`, then live changes until the signal. */
export function watchObjects(client: ApiClient, kind: KindDefinition, options: WatchOptions): AsyncGenerator<WatchEvent, void, void> {
  const { namespace, name, labelSelector } = options;
  const call = { path: `/v1/${kind.plural}/watch`, query: { namespace, name, labelSelector }, options, parse: parseChange };
  return resumedStream(client, call, { lastEventId: undefined });
}

/** Events after the one with the id `since`, as they come. */
export function watchEvents(
  client: ApiClient,
  { namespace, kind, name, type, heartbeats }: EventFilter,
  { since, ...options }: StreamOptions & { readonly since: string | undefined },
): AsyncGenerator<EventRecord, void, void> {
  const parse = (event: string | undefined, data: string) => (event === 'event' ? (JSON.parse(data) as EventRecord) : undefined);
  return resumedStream(
    client,
    { path: '/v1/events/watch', query: { namespace, kind, name, type, heartbeats: heartbeats?.toString() }, options, parse },
    { lastEventId: since },
  );
}

/** Events of a Session after a sequence number, the stored ones first. The caller has reached the server before. Throws once the Session is deleted. */
export function watchSession(
  session: SessionHandle,
  { after, ...options }: StreamOptions & { readonly after: number },
): AsyncGenerator<SessionEvent, void, void> {
  const parse = (event: string | undefined, data: string): SessionEvent | undefined => {
    const parsed = JSON.parse(data) as SessionEvent | { readonly reason: string };
    if (event !== 'close') return parsed as SessionEvent;
    if ('reason' in parsed && parsed.reason === 'session_deleted')
      throw new CliError(`session/${session.name} was deleted`, { exitCode: EXIT.notFound });
    return undefined;
  };
  const call = { path: sessionPath(session, 'stream'), query: { namespace: session.namespace }, options, parse };
  return resumedStream(session.client, call, { lastEventId: String(after), connected: true });
}
