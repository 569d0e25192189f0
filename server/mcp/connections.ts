// Connections of this process to MCP servers: one for each McpServer, shared by the sync and by all calls, made when needed and closed when idle.
import { specOf } from '@svc/shared/kinds/read';
import { parseRef, type NamespacedName } from '@svc/shared/resource';
import { createKindFollower, type KindFollower } from '../controllers/runtime/kind-follower.ts';
import { CallError } from '../engine/ports.ts';
import type { Logger } from '../log/log.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { orAborted } from '../egress/deadline.ts';
import { redactLines } from '../egress/redact.ts';
import { changedCallError } from '../tools/call-error.ts';
import type { McpCall, McpCalls } from '../tools/mcp/mcp-tool.ts';
import type { McpResult } from '../tools/mcp/result.ts';
import { toolTitle } from '../tools/runtime.ts';
import { connectMcp, type ConnectDeps } from './client/connect.ts';
import { ConnectError, listedName, type McpConnection, type McpTarget } from './connection.ts';
import { reportFailedCall } from './failed-calls.ts';
import { CONNECT_MAX_MS, IDLE_CLOSE_MS } from './limits.ts';
import { withStderrLog } from './stderr-log.ts';
import { serverTitle, targetOf, type TargetSources } from './target.ts';

export interface McpConnectionsOptions extends ConnectDeps, TargetSources {
  readonly store: Store;
  readonly log: Logger;
}

interface Entry {
  readonly key: string;
  readonly uid: string;
  readonly generation: number;
  readonly connecting: Promise<McpConnection>;
  /** Values of Secrets that the connection uses. */
  readonly secrets: ReadonlySet<string>;
  /** Aborted when the McpServer is deleted: ends the connecting too. */
  readonly deleted: AbortController;
  /** Users that keep it open. */
  users: number;
  /** No longer offered: closed with its last user. */
  retired: boolean;
  idle?: AbortController;
}

/** Keeps a connection open until `release`. */
export interface HeldConnection {
  readonly connection: McpConnection;
  /** Values of Secrets that must not be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Aborts when the McpServer is deleted; the reason is a CallError. */
  readonly deleted: AbortSignal;
  readonly release: () => void;
  /** Gives later users a new connection; this one is closed with its last user. */
  readonly retire: () => void;
}

const keyOf = ({ namespace, name }: NamespacedName) => `${namespace}/${name}`;

export class McpConnections implements McpCalls {
  readonly #options: McpConnectionsOptions;
  /** Those offered to new users, by server. */
  readonly #entries = new Map<string, Entry>();
  /** Those offered, and those whose users have not finished. */
  readonly #open = new Set<Entry>();
  readonly #stopped = new AbortController();
  /** Started with the first connection. */
  #servers: KindFollower | undefined;

  constructor(options: McpConnectionsOptions) {
    this.#options = options;
  }

  /** Whether this process starts the programs of McpServers with transport stdio. */
  get startsPrograms(): boolean {
    return this.#options.stdio;
  }

  /** Rejects with CallError. The signal ends this wait, not the connecting that others may share. */
  async hold(server: StoredObject, signal: AbortSignal): Promise<HeldConnection> {
    this.#stopped.signal.throwIfAborted();
    const entry = this.#current(server);
    entry.users += 1;
    entry.idle?.abort();
    let held = true;
    const release = () => {
      if (held) this.#release(entry);
      held = false;
    };
    try {
      const { secrets, deleted } = entry;
      const retire = () => this.#retire(entry);
      return { connection: await orAborted(entry.connecting, signal), secrets, deleted: deleted.signal, release, retire };
    } catch (error) {
      release();
      throw error;
    }
  }

  async call(call: McpCall): Promise<McpResult> {
    const server = await this.#serverOf(call);
    try {
      return await this.#callOn(server, call, true);
    } catch (error) {
      // Programs are of this process; the sync has its own.
      const isShared = specOf('McpServer', server).transport === 'http';
      if (isShared && !call.signal.aborted) reportFailedCall(this.#options.store, server, error);
      throw error;
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (!this.#stopped.signal.aborted) this.#stopped.abort(lostWithProcess());
    for (const { idle } of this.#entries.values()) idle?.abort();
    this.#entries.clear();
    const closing = [...this.#open].map(({ connecting }) => connecting.then((connection) => connection.close()).catch(() => undefined));
    await Promise.all([this.#servers?.stop(), ...closing]);
  }

  /** `mayRepeat`: once in a new session, where the server has forgotten this one. */
  async #callOn(...[server, call, mayRepeat]: [StoredObject, McpCall, boolean]): Promise<McpResult> {
    const { tool, name, input, signal, idleMs, maxMs, onProgress, conceal } = call;
    const { connection, secrets, deleted, release, retire } = await this.hold(server, signal);
    conceal([...secrets]);
    try {
      const inputSchema = { type: 'object', ...tool.spec.input_schema };
      return await connection.call({
        name,
        input,
        inputSchema: inputSchema,
        signal,
        idleMs,
        maxMs,
        onProgress,
        what: toolTitle(tool),
      });
    } catch (error) {
      if (deleted.aborted && !signal.aborted) throw deleted.reason;
      const session = mayRepeat ? await sessionAfter(error, connection, signal) : 'known';
      if (session !== 'known') retire();
      if (session !== 'forgotten') throw error;
    } finally {
      release();
    }
    return this.#callOn(server, call, false);
  }

  async #serverOf({ tool, server: ref, name }: McpCall): Promise<StoredObject> {
    const place = parseRef(ref, tool.namespace);
    const server = await this.#options.store.getObject({ kind: 'McpServer', ...place });
    const refuse = (problem: string, reason: string) =>
      new CallError('unsupported_tool', `${toolTitle(tool)}: ${problem}`, { retryable: false, reason });
    if (!server) throw refuse(`${serverTitle(place)} does not exist`, 'mcp_server_gone');
    const { phase, discoveredTools } = server.status;
    if (phase === 'Ready' && Array.isArray(discoveredTools) && !discoveredTools.includes(listedName(name))) {
      throw refuse(`${serverTitle(place)} no longer lists the tool "${name}"`, 'mcp_tool_gone');
    }
    return server;
  }

  #current(server: StoredObject): Entry {
    const key = keyOf(server);
    const known = this.#entries.get(key);
    if (known && known.uid === server.uid && known.generation >= server.generation) return known;
    if (known) this.#retire(known);
    const secrets = new Set<string>();
    const deleted = new AbortController();
    const connecting = this.#connect(server, { secrets, deleted: deleted.signal });
    const { uid, generation } = server;
    const entry: Entry = { key, uid, generation, connecting, secrets, deleted, users: 0, retired: false };
    this.#entries.set(key, entry);
    this.#open.add(entry);
    const forget = () => {
      this.#open.delete(entry);
      this.#withdraw(entry);
    };
    connecting.then(({ closed }) => {
      if (closed.aborted) return forget();
      closed.addEventListener('abort', forget, { once: true });
      // A change that was written before this connection was known has been followed already.
      this.#followServer(server);
    }, forget);
    this.#servers ??= this.#followServers();
    return entry;
  }

  #followServers(): KindFollower {
    const follower = createKindFollower({ ...this.#options, kind: 'McpServer', onChange: (key) => this.#followServer(key) });
    follower.start();
    return follower;
  }

  #followServer(place: NamespacedName): void {
    const key = keyOf(place);
    if (![...this.#open].some((entry) => entry.key === key)) return;
    this.#endStale(place).catch((err: unknown) => {
      if (!this.#stopped.signal.aborted)
        this.#options.log.warn({ err, server: key }, 'connections of a changed McpServer could not be checked');
    });
  }

  /** A deleted server ends with the calls in flight; a changed one is offered no longer, and ends with its last call. */
  async #endStale({ namespace, name }: NamespacedName): Promise<void> {
    const current = await this.#options.store.getObject({ kind: 'McpServer', namespace, name });
    const key = keyOf({ namespace, name });
    for (const entry of [...this.#open].filter((one) => one.key === key)) {
      const deleted = current?.uid !== entry.uid;
      if (!deleted && current.generation <= entry.generation) continue;
      if (deleted) this.#delete(entry, { namespace, name });
      else this.#retire(entry);
    }
  }

  #delete(entry: Entry, place: NamespacedName): void {
    this.#withdraw(entry);
    entry.retired = true;
    entry.idle?.abort();
    const reason = new CallError('unsupported_tool', `${serverTitle(place)} was deleted`, { retryable: false, reason: 'mcp_server_gone' });
    if (!entry.deleted.signal.aborted) entry.deleted.abort(reason);
    this.#closeEntry(entry);
  }

  async #connect(
    server: StoredObject,
    { secrets, deleted }: { readonly secrets: Set<string>; readonly deleted: AbortSignal },
  ): Promise<McpConnection> {
    const { clock } = this.#options;
    const ended = AbortSignal.any([deleted, this.#stopped.signal]);
    const limit = new AbortController();
    const done = new AbortController();
    const late = new CallError('timeout', `${serverTitle(server)} did not connect within ${CONNECT_MAX_MS} ms`, {
      retryable: true,
      reason: 'timeout',
    });
    try {
      const target = await targetOf(this.#options, { server, spec: specOf('McpServer', server), secrets });
      if (target.transport === 'stdio') await target.program.prepare(ended);
      clock.sleep(CONNECT_MAX_MS, done.signal).then(
        () => limit.abort(late),
        () => undefined,
      );
      return await connectMcp(this.#options, this.#logged(server, target, secrets), AbortSignal.any([limit.signal, ended]));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const concealed = changedCallError(error, { message: redactLines(error.message, secrets), cause: undefined });
      throw error instanceof ConnectError ? new ConnectError(concealed, redactLines(error.stderrTail, secrets)) : concealed;
    } finally {
      done.abort();
    }
  }

  #logged(...[server, target, secrets]: [NamespacedName, McpTarget, ReadonlySet<string>]): McpTarget {
    if (target.transport === 'http') return target;
    return { ...target, program: withStderrLog(target.program, { log: this.#options.log, server: keyOf(server), secrets }) };
  }

  #release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.retired) return this.#closeEntry(entry);
    entry.idle = new AbortController();
    this.#options.clock.sleep(IDLE_CLOSE_MS, entry.idle.signal).then(
      () => this.#retire(entry),
      () => undefined,
    );
  }

  #withdraw(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  #retire(entry: Entry): void {
    this.#withdraw(entry);
    entry.retired = true;
    entry.idle?.abort();
    if (entry.users === 0) this.#closeEntry(entry);
  }

  #closeEntry({ connecting }: Entry): void {
    connecting.then((connection) => connection.close()).catch(() => undefined);
  }
}

/** Status of the protocol for an unknown session. */
const UNKNOWN_SESSION = 'http_404';
/** Many servers answer 400. */
const FORGOTTEN: ReadonlySet<string | undefined> = new Set([UNKNOWN_SESSION, 'http_400']);

/** The server has forgotten the session of the connection, as after a restart: a new one is begun. */
export const isSessionForgotten = (error: unknown, { hasSession }: McpConnection): boolean =>
  hasSession && error instanceof CallError && FORGOTTEN.has(error.reason);

/**
 * State of the session of a failed call. `forgotten`: the server does not know it and ran nothing. A 400 has other causes too, so a ping in the
 * session decides. `unsure`: the ping failed in another way, as at a gateway that does not support pings; the call may have run.
 */
async function sessionAfter(error: unknown, connection: McpConnection, signal: AbortSignal): Promise<'known' | 'unsure' | 'forgotten'> {
  if (!isSessionForgotten(error, connection)) return 'known';
  if ((error as CallError).reason === UNKNOWN_SESSION) return 'forgotten';
  return connection.ping(signal).then(
    () => 'known',
    (failure: unknown) => (isSessionForgotten(failure, connection) ? 'forgotten' : 'unsure'),
  );
}

function lostWithProcess(): CallError {
  return new CallError('canceled', 'this process stops', { retryable: true, reason: 'stopping' });
}
