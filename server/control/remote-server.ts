// Another server as the desktop follows it: its approvals and their changes over REST and server-sent events, and decisions on them. Nothing of its answers is trusted.
import { createParser } from 'eventsource-parser';
import type { WatchChangeType, WatchItem } from '@svc/shared/api/watch';
import { ServiceError, type ErrorCode } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { kindByName } from '@svc/shared/kinds';
import { nameProblem, namespaceProblem, type Resource, type ResourceKey } from '@svc/shared/resource';
import { isApprovalKind, TASK_APPROVAL, TOOL_APPROVAL, type ApprovalRef } from '../engine/approvals/approval-kind.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import type { Gateway, ProfileRequest } from '../gateway/gateway.ts';
import type { ListRequest, Page, RequestContext } from '../registry/registry.ts';
import type { ChangesQuery, StreamOptions, WatchMessage } from '../registry/watch/watch.ts';
import { timeLimit } from '../clock.ts';

const ANSWER_TIMEOUT_MS = 20_000;
/** The other server sends a comment at least every 30 seconds. */
const SILENCE_MAX_MS = 90_000;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const EVENT_MAX_CHARS = 8 * 1024 * 1024;
const UID_MAX_CHARS = 64;
/** Roles that decide approvals. */
const DECIDING_ROLES: ReadonlySet<unknown> = new Set(['approver', 'writer', 'admin']);
const CHANGE_TYPES: ReadonlySet<unknown> = new Set<WatchChangeType>(['created', 'updated', 'deleted']);

type Messages = readonly WatchMessage<WatchItem>[];

/** The methods of the registry and of watches that following takes; contexts are those of this server and do not leave it. */
export class RemoteServer {
  readonly #gateway: Pick<Gateway, 'check' | 'send'>;
  readonly #id: string;

  constructor(gateway: Pick<Gateway, 'check' | 'send'>, id: string) {
    this.#gateway = gateway;
    this.#id = id;
  }

  async get(_context: RequestContext, { kind, namespace, name }: ResourceKey): Promise<Resource> {
    const found = await this.#json({ method: 'GET', path: `${pathOf(kind, name)}?namespace=${encodeURIComponent(namespace)}` });
    const resource = resourceOf(found, kind);
    if (resource?.metadata.name !== name || resource.metadata.namespace !== namespace) throw strange();
    return resource;
  }

  async list(_context: RequestContext, { kind, fields = [], limit, after }: ListRequest): Promise<Page> {
    const query = new URLSearchParams({ namespace: '*', limit: String(limit) });
    if (fields.length > 0) query.set('fieldSelector', fields.map(({ path, value }) => `${path}=${String(value)}`).join(','));
    if (after && 'namespace' in after) query.set('after', `${after.namespace}/${after.name}`);
    const page = await this.#json({ method: 'GET', path: `${pathOf(kind)}?${query.toString()}` });
    if (!isObject(page) || !Array.isArray(page['items'])) throw strange();
    const items = page['items'].flatMap((item) => resourceOf(item, kind) ?? []);
    return { items, ...(typeof page['continue'] === 'string' && { continue: page['continue'] }) };
  }

  /** Changes of approvals. Rejects with `forbidden` where the token of the profile may not decide them. */
  async *watchChanges(_context: RequestContext, _query: ChangesQuery, { signal }: StreamOptions): AsyncGenerator<Messages> {
    const { ok, state, message } = await this.#gateway.check(this.#id);
    if (!ok) throw new ServiceError(state === 'refused' ? 'forbidden' : 'unavailable', message);
    await this.#requireDecider();
    const seq = await this.#newestSeq();
    yield [{ type: 'synced', seq }];
    const stop = new AbortController();
    try {
      yield* merged([TOOL_APPROVAL, TASK_APPROVAL].map((kind) => this.#watch(kind, seq, AbortSignal.any([signal, stop.signal]))));
    } finally {
      stop.abort();
    }
  }

  async decide(
    _context: RequestContext,
    { kind, namespace, name }: ApprovalRef,
    request: Parameters<RunService['decide']>[2],
  ): Promise<Resource> {
    const { decision, uid, comment } = request;
    const path = `${pathOf(kind, name)}/${decision === 'approved' ? 'approve' : 'deny'}?namespace=${encodeURIComponent(namespace)}`;
    const decided = resourceOf(await this.#json({ method: 'POST', path, body: { uid, comment } }), kind);
    if (decided === undefined) throw strange();
    return decided;
  }

  async #requireDecider(): Promise<void> {
    const me = await this.#json({ method: 'GET', path: '/v1/auth/me' });
    if (!isObject(me) || !DECIDING_ROLES.has(me['role']))
      throw new ServiceError('forbidden', 'The token of this profile decides no approvals');
  }

  async #newestSeq(): Promise<number> {
    const newest = await this.#json({ method: 'GET', path: '/v1/events?limit=1&sort=-createdAt' });
    const [event] = isObject(newest) && Array.isArray(newest['items']) ? (newest['items'] as unknown[]) : [];
    const seq = isObject(event) ? Number(event['id']) : 0;
    if (!Number.isSafeInteger(seq) || seq < 0) throw strange();
    return seq;
  }

  /** Yields changes until the other server closes the stream or reports a gap. */
  async *#watch(kind: string, since: number, signal: AbortSignal): AsyncGenerator<Messages> {
    const path = `${pathOf(kind)}/watch?namespace=*&since=${since}`;
    const body = await this.#open({ method: 'GET', path, headers: { accept: 'text/event-stream' }, signal });
    const batch: WatchMessage<WatchItem>[] = [];
    let over = false;
    const parser = createParser({
      maxBufferSize: EVENT_MAX_CHARS,
      onError: ({ type }) => void (over ||= type === 'max-buffer-size-exceeded'),
      onEvent({ event, id, data }) {
        over ||= event === 'resync' || event === 'close';
        const item = event === 'resource' ? itemOf(data, kind) : undefined;
        if (item) batch.push({ type: 'item', seq: Number(id ?? 0), item });
      },
    });
    const decoder = new TextDecoder();
    const silence = setTimeout(() => body.destroy(), SILENCE_MAX_MS);
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        silence.refresh();
        parser.feed(decoder.decode(chunk, { stream: true }));
        if (batch.length > 0) yield batch.splice(0);
        if (over) return;
      }
    } finally {
      clearTimeout(silence);
      body.on('error', () => undefined).destroy();
    }
  }

  async #json(request: ProfileRequest): Promise<unknown> {
    const body = await this.#open({ ...request, signal: timeLimit(ANSWER_TIMEOUT_MS) });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > ANSWER_MAX_BYTES) throw strange();
    }
    return parsed(Buffer.concat(parts).toString('utf8'));
  }

  async #open(request: ProfileRequest) {
    const { statusCode, body } = await this.#gateway.send(this.#id, request);
    if (statusCode >= 200 && statusCode < 300) return body;
    body.on('error', () => undefined).destroy();
    throw new ServiceError(CODES[statusCode] ?? 'unavailable', `The server answers ${statusCode}`);
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = { 401: 'forbidden', 403: 'forbidden', 404: 'not_found', 409: 'conflict' };

const strange = () => new ServiceError('unavailable', 'The server answers with something that this app does not know');

function pathOf(kind: string, name?: string): string {
  const plural = kindByName(kind)?.plural ?? '';
  return name === undefined ? `/v1/${plural}` : `/v1/${plural}/${encodeURIComponent(name)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw strange();
  }
}

/** An object of this kind that can be named; its spec and status are read by the reader of the kind, which takes anything. */
function resourceOf(value: unknown, kind: string): Resource | undefined {
  if (!isObject(value) || value['kind'] !== kind || !isObject(value['metadata'])) return undefined;
  const { name, namespace, uid } = value['metadata'];
  if (typeof name !== 'string' || nameProblem(name) !== undefined) return undefined;
  if (typeof namespace !== 'string' || namespaceProblem(namespace) !== undefined) return undefined;
  if (typeof uid !== 'string' || uid.length > UID_MAX_CHARS) return undefined;
  return { ...value, spec: value['spec'] ?? {}, status: value['status'] ?? {} } as unknown as Resource;
}

function itemOf(data: string, kind: string): WatchItem | undefined {
  const item = parsed(data);
  if (!isObject(item) || !CHANGE_TYPES.has(item['type']) || !isApprovalKind(kind)) return undefined;
  const resource = resourceOf(item['resource'], kind);
  if (resource === undefined) return undefined;
  const { namespace, name, resourceVersion } = resource.metadata;
  return { type: item['type'] as WatchChangeType, kind, namespace, name, resourceVersion, resource };
}

/** Values of all streams as they come, until the first of them ends. */
async function* merged<T>(streams: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const ask = async (stream: AsyncGenerator<T>) => ({ stream, result: await stream.next() });
  const waiting = new Map(streams.map((stream) => [stream, ask(stream)]));
  for (const each of waiting.values()) each.catch(() => undefined);
  for (;;) {
    const { stream, result } = await Promise.race(waiting.values());
    if (result.done === true) return;
    yield result.value;
    const next = ask(stream);
    next.catch(() => undefined);
    waiting.set(stream, next);
  }
}
