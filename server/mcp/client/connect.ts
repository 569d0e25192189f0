// Connects to one MCP server with the official client package: both transports, every protocol revision. The package is loaded with the first connection.
import type * as mcpClient from '@modelcontextprotocol/client';
import type { Client, ClientOptions, FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { backoffMs } from '@svc/shared/backoff';
import { isDeeperThan, isObject, type JsonObject } from '@svc/shared/json';
import { MCP_PROTOCOL_VERSIONS } from '@svc/shared/kinds/mcp-server/schema';
import { endsWithin, underSignals, type Clock } from '../../clock.ts';
import type { Egress } from '../../egress/egress.ts';
import { CallError } from '../../engine/ports.ts';
import { changedCallError } from '../../tools/call-error.ts';
import type { McpResult } from '../../tools/mcp/result.ts';
import { ConnectError, type ConnectionCall, type DiscoveredTool, type McpConnection, type McpTarget } from '../connection.ts';
import {
  CONNECT_MAX_MS,
  DEPTH_MAX,
  LISTEN_AGAIN,
  LIST_MAX_CHARS,
  LIST_PAGES_MAX,
  LIST_TOOLS_MAX,
  PAGE_MAX_MS,
  PROBE_MAX_MS,
  RESUME_MAX_MS,
  RESUME_MIN_MS,
} from '../limits.ts';
import { toCallError } from './call-errors.ts';
import { FloodGuard } from './flood-guard.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { lost, StdioTransport } from './stdio-transport.ts';

export interface ConnectDeps {
  readonly clock: Clock;
  readonly egress: Egress;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
  /** Version of this service, for the other side's log. */
  readonly version: string;
}

type Package = typeof mcpClient;
let loaded: Promise<Package> | undefined;

const REVISION_MAX_CHARS = 64;
const END_SESSION_MS = 2_000;

/** Statuses of an address where no MCP server is. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405]);

/** First revision without a handshake. */
const STATELESS = '2026-07-28';

/** Rejects with CallError, or with the signal's reason. */
export async function connectMcp(deps: ConnectDeps, target: McpTarget, signal: AbortSignal): Promise<McpConnection> {
  const mcp = await (loaded ??= import('@modelcontextprotocol/client'));
  const negotiations = negotiationsOf(target);
  for (const [index, negotiation] of negotiations.entries()) {
    const connection = new Connection(mcp, deps, target);
    try {
      await connection.open(negotiation, signal);
      return connection;
    } catch (error) {
      await connection.close();
      if (signal.aborted) throw signal.reason;
      // A program of an older revision may end at a first message that it does not support: it is started again for the older handshake.
      const endsAtProbe = target.transport === 'stdio' && error instanceof CallError && error.reason === 'connection_lost';
      if (!endsAtProbe || index === negotiations.length - 1) throw withLastWords(error, connection.stderrTail());
    }
  }
  throw lost(`${target.what} could not be connected`);
}

/** With the last line that the program wrote to its standard error: usually it says why. */
function withLastWords(error: unknown, stderr: string): unknown {
  const line = stderr.trim().split('\n').at(-1)?.trim();
  if (!(error instanceof CallError) || !line) return error;
  return new ConnectError(changedCallError(error, { message: `${error.message}; it wrote: ${line}` }), stderr);
}

type Negotiation = Pick<ClientOptions, 'versionNegotiation' | 'supportedProtocolVersions'>;

function negotiationsOf({ transport, protocolVersion }: McpTarget): readonly Negotiation[] {
  if (protocolVersion === STATELESS) return [{ versionNegotiation: { mode: { pin: protocolVersion } } }];
  if (protocolVersion !== undefined) return [{ versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [protocolVersion] }];
  const timeoutMs = transport === 'stdio' ? PROBE_MAX_MS : CONNECT_MAX_MS;
  const supportedProtocolVersions = [...MCP_PROTOCOL_VERSIONS];
  return [
    { supportedProtocolVersions, versionNegotiation: { mode: 'auto', probe: { timeoutMs } } },
    { supportedProtocolVersions, versionNegotiation: { mode: 'legacy' } },
  ];
}

/** The revision in an answer to `initialize`. */
function revisionOf(message: object): string | undefined {
  const result: unknown = 'result' in message ? message.result : undefined;
  return isObject(result) && typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : undefined;
}

function otherRevision({ what, protocolVersion }: McpTarget, answered: string): CallError {
  const revision = JSON.stringify(answered.slice(0, REVISION_MAX_CHARS));
  const demand =
    protocolVersion === undefined
      ? `this service speaks ${MCP_PROTOCOL_VERSIONS.join(', ')}`
      : `spec.protocol_version demands "${protocolVersion}"`;
  const message = `${what} answered with protocol revision ${revision}; ${demand}`;
  return new CallError('execution_failed', message, { retryable: false, reason: 'protocol_version' });
}

/** Schedules the resumption of a stream within our own times of waiting, and returns how to cancel it. */
function resume(reconnect: () => void, delay: number): () => void {
  const timer = setTimeout(reconnect, Math.min(Math.max(delay, RESUME_MIN_MS), RESUME_MAX_MS));
  return () => clearTimeout(timer);
}

/** A guard that knows the requests of the transport. */
function guardedSends(transport: StreamableHTTPClientTransport, what: string): FloodGuard {
  const guard = new FloodGuard(what);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    for (const each of [message].flat()) guard.sent(each);
    return send(message, options);
  };
  return guard;
}

class Connection implements McpConnection {
  readonly #mcp: Package;
  readonly #target: McpTarget;
  readonly #transport: StdioTransport | StreamableHTTPClientTransport;
  readonly #deps: ConnectDeps;
  readonly #closed = new AbortController();
  readonly #listeners: (() => void)[] = [];
  #client: Client | undefined;
  /** HTTP status of the newest answer. */
  #status = 200;
  #closing: Promise<void> | undefined;

  constructor(...[mcp, deps, target]: [Package, ConnectDeps, McpTarget]) {
    this.#mcp = mcp;
    this.#deps = deps;
    this.#target = target;
    this.#transport = this.#createTransport();
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get protocolVersion(): string {
    return this.#client?.getNegotiatedProtocolVersion() ?? '';
  }

  get hasSession(): boolean {
    return !(this.#transport instanceof StdioTransport) && this.#transport.sessionId !== undefined;
  }

  onToolsChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  onStderr(listener: () => void): void {
    if (this.#transport instanceof StdioTransport) this.#transport.onstderr = listener;
  }

  stderrTail(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.stderrTail() : '';
  }

  async open(negotiation: Negotiation, signal: AbortSignal): Promise<void> {
    const { Client } = this.#mcp;
    const client = new Client(
      { name: 'agent-orchestration-service', version: this.#deps.version },
      {
        ...negotiation,
        // Sampling, elicitation and roots are declined: no capability says otherwise.
        capabilities: {},
        inputRequired: { autoFulfill: false },
        // The caller checks results in a thread, off the event loop.
        jsonSchemaValidator: { getValidator: () => (input: unknown) => ({ valid: true, data: input as never, errorMessage: undefined }) },
      },
    );
    this.#client = client;
    // Over HTTP the package alone closes, after an error of the handshake that says more.
    if (this.#transport instanceof StdioTransport)
      client.onclose = () => this.#fail(this.#failure() ?? lost(`${this.#target.what} closed the connection`));
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#reportChange());
    // The package names a refused revision only in the text of a plain error.
    const permitted = negotiation.supportedProtocolVersions ?? this.#mcp.SUPPORTED_PROTOCOL_VERSIONS;
    // The transport of programs counts by itself: their output also has lines that are no messages.
    const guard = this.#transport instanceof StdioTransport ? undefined : guardedSends(this.#transport, this.#target.what);
    this.#transport.onmessage = (message: object) => {
      const flood = guard?.judge(message, 0);
      if (flood) this.#fail(flood);
      const revision = this.protocolVersion === '' ? revisionOf(message) : undefined;
      if (revision !== undefined && !permitted.includes(revision)) this.#fail(otherRevision(this.#target, revision));
    };
    // The client waits for the start of a program without regard to the signal.
    const onAbort = () => void this.close();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#guarded(signal, (limited) => client.connect(this.#transport, { signal: limited, timeout: CONNECT_MAX_MS }));
    } catch (error) {
      throw this.#withStatus(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (client.getProtocolEra() === 'modern') void this.#listen();
  }

  async listTools(signal: AbortSignal): Promise<readonly DiscoveredTool[]> {
    const tools: DiscoveredTool[] = [];
    const cursors = new Set<string>();
    let chars = 0;
    let cursor: string | undefined;
    do {
      const page = await this.#guarded(signal, (limited) =>
        this.#require().request(
          { method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) },
          { signal: limited, timeout: PAGE_MAX_MS },
        ),
      );
      this.#requireShallow(page.tools);
      cursor = page.nextCursor;
      chars += JSON.stringify(page.tools).length + (cursor?.length ?? 0);
      tools.push(...(page.tools as DiscoveredTool[]));
      if (cursor !== undefined && cursors.has(cursor)) throw this.#tooMuch(`the same page twice`);
      if (cursor !== undefined) cursors.add(cursor);
      if (cursors.size >= LIST_PAGES_MAX) throw this.#tooMuch(`more than ${LIST_PAGES_MAX} pages`);
      if (tools.length > LIST_TOOLS_MAX) throw this.#tooMuch(`more than ${LIST_TOOLS_MAX} tools`);
      if (chars > LIST_MAX_CHARS) throw this.#tooMuch(`more than ${LIST_MAX_CHARS} characters`);
    } while (cursor !== undefined);
    return tools;
  }

  async call({ name, input, inputSchema, idleMs, maxMs, onProgress, what, signal }: ConnectionCall): Promise<McpResult> {
    const result = await this.#guarded(
      signal,
      (limited) =>
        this.#require().callTool(
          { name, arguments: input },
          {
            signal: limited,
            timeout: idleMs,
            maxTotalTimeout: maxMs,
            resetTimeoutOnProgress: true,
            onprogress: ({ progress, total, message }) => onProgress(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`),
            toolDefinition: { name, inputSchema: inputSchema as JsonObject & { type: 'object' } },
          },
        ),
      what,
    );
    this.#requireShallow([result.content, result.structuredContent], what);
    const isolation = this.#transport instanceof StdioTransport ? this.#transport.facts : undefined;
    return {
      ...(isolation && { isolation }),
      content: result.content ?? [],
      ...(result.structuredContent !== undefined && { structured: result.structuredContent }),
      isError: result.isError === true,
    };
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#guarded(signal, (limited) => this.#require().request({ method: 'ping' }, { signal: limited, timeout: PAGE_MAX_MS }));
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    if (!(this.#transport instanceof StdioTransport)) {
      await endsWithin(this.#transport.terminateSession(), { clock: this.#deps.clock, ms: END_SESSION_MS });
    }
    await this.#client?.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
    this.#fail(lost(`the connection to ${this.#target.what} was closed`));
  }

  #createTransport(): StdioTransport | StreamableHTTPClientTransport {
    const { egress, allowPrivate, permittedBy } = this.#deps;
    const target = this.#target;
    const { what } = target;
    if (target.transport === 'stdio') return new StdioTransport({ program: target.program, what });
    const { signal } = this.#closed;
    const onTooMuch = (error: CallError) => this.#fail(error);
    const guarded = createGuardedFetch({ egress, allowPrivate, permittedBy, credentials: target.credentials, signal, what, onTooMuch });
    const fetch: FetchLike = async (url, init) => {
      try {
        const response = await guarded(url, init);
        this.#status = response.status;
        return response;
      } catch (error) {
        // The stream of changes broke off, and the server is gone: the next read of the list reports that.
        if (init?.method === 'GET' && !signal.aborted) this.#reportChange();
        throw error;
      }
    };
    return new this.#mcp.StreamableHTTPClientTransport(new URL(target.endpoint), {
      ...{ fetch, redirectPolicy: 'follow', reconnectionScheduler: resume },
    });
  }

  /** The stateless revision reports changes over a stream that the client opens, and opens again when it ends. */
  async #listen(): Promise<void> {
    const client = this.#require();
    if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
    const { clock } = this.#deps;
    let short = 0;
    for (let opened = 0; !this.closed.aborted;) {
      const since = clock.now();
      try {
        const { closed } = await client.listen({ toolsListChanged: true }, { signal: this.closed });
        // Changes between two streams are reported by neither.
        if (opened > 0) this.#reportChange();
        opened += 1;
        await closed;
      } catch {
        // Retries with a server without the stream become rarer: the sync also reads the list from time to time.
        if (opened > 0) this.#reportChange();
      }
      short = clock.now() - since >= LISTEN_AGAIN.maxBackoffMs ? 1 : short + 1;
      await clock.sleep(backoffMs(LISTEN_AGAIN, { failures: short, random: 0 }), this.closed).catch(() => undefined);
    }
  }

  #reportChange(): void {
    this.#listeners.forEach((listener) => listener());
  }

  #require(): Client {
    if (!this.#client || this.closed.aborted) throw this.#failure() ?? lost(`${this.#target.what} is not connected`);
    return this.#client;
  }

  #failure(): CallError | undefined {
    if (this.closed.aborted) return this.closed.reason as CallError;
    return this.#transport instanceof StdioTransport ? this.#transport.failure : undefined;
  }

  #fail(error: CallError): void {
    if (!this.closed.aborted) this.#closed.abort(error);
  }

  /** Ends with the caller or with the connection, and gives errors their type. */
  async #guarded<T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>, what = this.#target.what): Promise<T> {
    signal.throwIfAborted();
    try {
      return await underSignals([signal, this.closed], run);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = this.#failure();
      if (failure) throw failure;
      throw toCallError(error, what, this.#mcp);
    }
  }

  /** An error of the handshake, with the status that the address answered. The package names none where a revision without a handshake is pinned. */
  #withStatus(error: unknown): unknown {
    const status = this.#status;
    if (!(error instanceof CallError) || status < 400) return error;
    const message = error.reason === 'protocol_version' ? `${error.message}; it answered HTTP ${status}` : error.message;
    if (!NO_ENDPOINT.has(status)) return changedCallError(error, { message });
    const remedy = 'spec.endpoint must be the address of a streamable HTTP endpoint; servers that offer SSE only are not supported';
    return changedCallError(error, { message: `${message}; ${remedy}` });
  }

  /** Everything that reads an answer later does so by recursion. */
  #requireShallow(answer: unknown, what = this.#target.what): void {
    if (!isDeeperThan(answer, DEPTH_MAX)) return;
    throw new CallError('malformed_response', `${what} sent an answer of more than ${DEPTH_MAX} levels`, {
      retryable: false,
      reason: 'too_deep',
    });
  }

  #tooMuch(amount: string): CallError {
    return new CallError('malformed_response', `${this.#target.what} lists ${amount}`, { retryable: false, reason: 'list_too_long' });
  }
}
