// Gateway of the desktop's window to other servers: passes requests and WebSockets of `/p/<profile>/` on, with the token of the profile. Independent of listeners and sign-ins.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { Profile, ProfileTest } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import type { Resolve } from '../egress/guarded-connector.ts';
import { bearer, isPassive, requestHeaders, responseHeaders } from './exchange-headers.ts';
import { judgeAnswer } from './handshake.ts';
import { ProfileTable, type KnownProfile } from './profile-table.ts';
import { requirePlainPath } from './target.ts';
import { openUpstream, type Upstream } from './upstream.ts';
import { timeLimit } from '../clock.ts';

const TEST_TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 256 * 1024;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const NO_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Documents of another server never act as pages of this one. */
const OWN_POLICY = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export interface GatewayOptions {
  readonly version: string;
  readonly profiles: readonly Profile[];
  readonly resolve?: Resolve;
}

export interface ForwardedRequest {
  readonly id: string;
  /** Path below the profile, with its query. */
  readonly rest: string;
  readonly request: IncomingMessage;
}

/** A request that no window sent. */
export interface ProfileRequest {
  readonly method: 'GET' | 'POST';
  /** Below the address of the profile, with its query; made by this program. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #table: ProfileTable;
  readonly #upstreams = new Map<string, Upstream>();
  readonly #sockets = new Map<string, Set<Duplex>>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#table = new ProfileTable((id) => void this.#disconnect(id));
    this.#table.replace(options.profiles);
  }

  setProfiles(profiles: readonly Profile[]): void {
    this.#table.replace(profiles);
  }

  setToken(id: string, token: string): void {
    this.#table.setToken(id, token);
  }

  profileOf(id: string): Profile | undefined {
    return this.#table.get(id)?.profile;
  }

  profiles(): readonly KnownProfile[] {
    return this.#table.all();
  }

  /** Request of this machine itself to the server of a profile, with the token. Rejects with `not_found` where there is none. */
  async send(id: string, { method, path, headers, body, signal }: ProfileRequest): Promise<Dispatcher.ResponseData> {
    const { token } = this.#known(id);
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    return this.#upstream(id).request({
      path,
      method,
      headers: { accept: 'application/json', ...content, ...headers, ...bearer(token) },
      body: body === undefined ? null : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  /** State of the server of a known profile. Rejects with `not_found` where there is none. */
  async check(id: string): Promise<ProfileTest> {
    return this.#ask(this.#known(id), this.#upstream(id));
  }

  /** State of a server without a profile. Never rejects. */
  async checkDraft(profile: Profile, token: string | undefined): Promise<ProfileTest> {
    const upstream = openUpstream(profile, this.#options.resolve);
    // The stored token, where the draft has none: it goes to its own server only.
    const stored = this.#table.get(profile.id);
    const same = stored?.profile.origin === profile.origin && stored.profile.fingerprint === profile.fingerprint;
    try {
      return await this.#ask({ profile, token: token ?? (same ? stored.token : undefined) }, upstream);
    } finally {
      await upstream.close();
    }
  }

  /** Passes a request on and its answer back. Rejects with a ServiceError while nothing was answered. */
  async forward({ id, rest, request }: ForwardedRequest, response: ServerResponse): Promise<void> {
    const { token } = this.#known(id);
    const method = request.method ?? 'GET';
    requirePlainPath(rest);
    if (!METHODS.has(method)) throw new ServiceError('method_not_allowed', `${method} is not passed on to other servers`);
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the window left')));
    const answer = await this.#upstream(id).request({
      path: rest,
      method,
      headers: requestHeaders(request.headers, token),
      body: NO_BODY.has(method) ? null : request,
      signal: left.signal,
    });
    const refusal = refusalOf(answer);
    if (refusal !== undefined) {
      answer.body.on('error', () => undefined).destroy();
      throw refusal;
    }
    response.writeHead(answer.statusCode, { ...responseHeaders(answer.headers), ...OWN_POLICY });
    response.flushHeaders();
    await pipeline(answer.body, response).catch(() => response.destroy());
  }

  /** Connects a WebSocket of the window with one of the server. Rejects with a ServiceError while nothing was answered. */
  async connect({ id, rest, request }: ForwardedRequest, near: Duplex, head: Buffer): Promise<void> {
    const { token } = this.#known(id);
    const wanted = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol', 'sec-websocket-extensions'];
    const own = Object.fromEntries(wanted.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])));
    const { socket: far, headers } = await this.#upstream(id).upgrade(rest, { ...own, ...bearer(token) });
    if (near.destroyed) return void far.destroy();
    const answered = ['sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'];
    const lines = answered.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`]));
    near.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join('\r\n')}\r\n\r\n`);
    far.write(head);
    this.#join(id, near, far);
  }

  /** Ends all connections. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...new Set([...this.#upstreams.keys(), ...this.#sockets.keys()])].map((id) => this.#disconnect(id)));
  }

  #known(id: string): KnownProfile {
    const known = this.#table.get(id);
    if (known) return known;
    throw new ServiceError('not_found', `There is no profile "${id}"; Settings → Desktop app lists the servers of this app`);
  }

  #upstream(id: string): Upstream {
    const open = this.#upstreams.get(id) ?? openUpstream(this.#known(id).profile, this.#options.resolve);
    this.#upstreams.set(id, open);
    return open;
  }

  #join(id: string, near: Duplex, far: Duplex): void {
    const ends = this.#sockets.get(id) ?? new Set();
    this.#sockets.set(id, ends);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('error', () => undefined);
      from.once('close', () => {
        ends.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  /** Ends what is open to the server of a profile that changed: a request under the old token must not last. */
  async #disconnect(id: string): Promise<void> {
    const upstream = this.#upstreams.get(id);
    this.#upstreams.delete(id);
    for (const socket of this.#sockets.get(id) ?? []) socket.destroy();
    await upstream?.close();
  }

  async #ask({ token }: KnownProfile, upstream: Upstream): Promise<ProfileTest> {
    const signal = timeLimit(TEST_TIMEOUT_MS);
    const { version: ownVersion } = this.#options;
    try {
      const headers = { accept: 'application/json', ...bearer(token) };
      const answer = await upstream.request({ path: '/v1/capabilities', method: 'GET', headers, signal });
      return judgeAnswer({ status: answer.statusCode, body: await bounded(answer.body), ownVersion, withToken: token !== undefined });
    } catch (error) {
      const known = error instanceof ServiceError ? error : undefined;
      const state = known?.code === 'forbidden' ? 'untrusted' : 'unreachable';
      return { ok: false, state, version: null, message: known?.message ?? 'The server does not answer in time' };
    }
  }
}

/** Start of a body, so that a server cannot fill the memory of this one. */
async function bounded(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > ANSWER_MAX_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, ANSWER_MAX_BYTES);
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function refusalOf({ statusCode, headers }: Answer): ServiceError | undefined {
  if (statusCode >= 300 && statusCode < 400 && statusCode !== 304)
    return new ServiceError(
      'unavailable',
      'The server redirects to another address, which the app does not follow; correct the address of the profile',
    );
  if (headers['content-type'] !== undefined && !isPassive(headers['content-type']))
    return new ServiceError('unavailable', 'The server answers with a page or a script, which the app does not show under its own address');
  return undefined;
}
