// Imports the tools of McpServers as Tools, follows changes of their lists, and connects again after failures. Run under two leases: the leader's,
// and MCP_STDIO_LEADER for McpServers with transport stdio.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { ServiceError } from '@svc/shared/errors';
import { durationMs } from '@svc/shared/duration';
import { jsonEquals } from '@svc/shared/json';
import type { McpServerStatus } from '@svc/shared/kinds/mcp-server/schema';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { NamespacedName } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import { createKindFollower } from '../../controllers/runtime/kind-follower.ts';
import { LEADER_QUEUE } from '../../controllers/runtime/leader.ts';
import { createReconciler, type Reconciler, type ReconcilerOptions, type ReconcileOutcome } from '../../controllers/runtime/reconciler.ts';
import { redactLines } from '../../egress/redact.ts';
import { CallError } from '../../engine/ports.ts';
import { updateStatus, type Status } from '../../registry/own-writes.ts';
import { creatorsOf, partIdentity, partName } from '../../registry/principal.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import { eachObject } from '../../store/each-object.ts';
import type { Claim, Fact, StoredObject, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { timestamp } from '../../clock.ts';
import { ConnectError, listedName, type DiscoveredTool } from '../connection.ts';
import { onFailedCall } from '../failed-calls.ts';
import { isSessionForgotten, type McpConnections } from '../connections.ts';
import { connectedFact, failedFact, listChangedFact } from './facts.ts';
import { followServers, type FollowedServer } from './followed-servers.ts';
import { generatedName, isOwned, maskTools, planSync, type SyncPlan, type ToolWrite } from './plan.ts';

/** Name of the lease under which one of the servers with `--mcp-stdio` syncs the McpServers with transport stdio. */
export const MCP_STDIO_LEADER = 'mcp-stdio';

export interface McpSyncOptions extends Pick<ReconcilerOptions, 'store' | 'clock' | 'log' | 'random' | 'coalesceMs'> {
  readonly registry: Pick<Registry, 'within'>;
  /** The lease of this sync: nothing is written once it has been taken over. */
  readonly claim: Claim;
  readonly connections: Pick<McpConnections, 'hold' | 'startsPrograms'>;
  /** McpServers that it connects. The sync of `http` also cleans up after deleted McpServers, and reports programs that no server starts. */
  readonly transport: 'http' | 'stdio';
}

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'mcp-sync' };
const SERVER = 'McpServer';
const TOOL = 'Tool';
/** Servers that are read at once; a server that hangs holds one of these places. */
const CONCURRENCY = 16;
const RUN_MAX_MS = 60_000;
/** Between two readings of a list that no notification announces. */
const RELIST_MS = 300_000;
/** A list that is announced as changed after each of its readings is read more and more rarely. */
const QUICK_READINGS = 5;
const QUICK_BACKOFF: BackoffRule = { backoffMs: 1_000, maxBackoffMs: 60_000, jitter: 'none' };
/** Between two readings that failed calls cause. */
const CHECK_MIN_MS = 1_000;
/** Between attempts once `reconnect.max_attempts` are used up. */
const SLOW_RETRY_MS = 60_000;
/** Between two checks that a server syncs the programs. */
const LEASE_CHECK_MS = 60_000;
/** How late `status.stderrTail` may be. */
const TAIL_WAIT_MS = 30_000;
const ERROR_MAX_CHARS = 4_096;
/** Tools of one transaction, which blocks the event loop for about a millisecond for each. */
const WRITES_AT_ONCE = 50;

export function createMcpSync(options: McpSyncOptions): Reconciler {
  const { stateOf, known, forget, forgetAll } = followServers();
  const reconcile = async (key: NamespacedName, signal: AbortSignal): Promise<ReconcileOutcome> => {
    const server = await options.store.getObject({ kind: SERVER, ...key });
    if (!server) {
      forget(key);
      return options.transport === 'http' ? removeTools(options, key) : undefined;
    }
    const other = await otherSync(options, server);
    if (other) {
      forget(key);
      return other.outcome;
    }
    const state = stateOf(server);
    const { clock } = options;
    const waitMs = state.retryAt - clock.now();
    if (state.ended) return failed(options, { server, state, error: state.ended.connection.closed.reason as CallError });
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    try {
      const listed = await readTools(options, { server, state, signal, changed: () => reconciler.add(key) });
      await importTools(options, server, { state, tools: listed });
      state.attempts = 0;
      const excess = state.quickReadings - QUICK_READINGS;
      if (excess > 0) state.retryAt = state.listedAt + backoffMs(QUICK_BACKOFF, { failures: excess, random: 0 });
      return { requeueAfterMs: Math.max(0, state.listedAt + RELIST_MS - clock.now()) };
    } catch (error) {
      if (!(error instanceof CallError) || signal.aborted) throw error;
      return failed(options, { server, state, error });
    }
  };
  const reconciler = createReconciler({
    ...options,
    name: 'mcp-sync',
    kind: SERVER,
    reconcile,
    concurrency: CONCURRENCY,
    timeoutMs: RUN_MAX_MS,
  });
  // Deleted Tools are generated again, and Tools of a deleted server are removed.
  const tools = createKindFollower({
    ...options,
    kind: TOOL,
    onChange: ({ namespace, name }) => serverNames(name).forEach((server) => reconciler.add({ namespace, name: server })),
  });
  const check = (server: NamespacedName): void => {
    const state = known(server);
    if (!state?.tools || options.clock.now() - state.listedAt < CHECK_MIN_MS) return;
    state.tools = undefined;
    state.retryAt = 0;
    reconciler.add(server);
  };
  let ignoreCalls = (): void => undefined;
  return {
    ...reconciler,
    start() {
      reconciler.start();
      tools.start();
      ignoreCalls = onFailedCall(options.store, check);
    },
    async stop() {
      ignoreCalls();
      await tools.stop();
      await reconciler.stop();
      forgetAll();
    },
    async runOnce() {
      await tools.runOnce();
      await reconciler.runOnce();
    },
  };
}

/** Present when another sync connects this server. A program that no server starts is refused here, so that its status says why. */
async function otherSync(
  { store, clock, transport, connections }: McpSyncOptions,
  server: StoredObject,
): Promise<{ readonly outcome: ReconcileOutcome } | undefined> {
  if (specOf(SERVER, server).transport === transport) return undefined;
  // A server that starts programs is a candidate for their lease.
  if (transport === 'stdio' || connections.startsPrograms) return { outcome: undefined };
  const lease = await store.getWorkItem(LEADER_QUEUE, MCP_STDIO_LEADER);
  const isHeld = lease?.owner !== undefined && lease.leaseUntil > clock.now();
  return isHeld ? { outcome: { requeueAfterMs: LEASE_CHECK_MS } } : undefined;
}

/** Names of servers that may have generated a Tool of this name. */
function serverNames(tool: string): string[] {
  const parts = tool.split('--');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('--'));
}

/** The next attempt opens a new connection: the server may have forgotten the session of this one. */
function dropConnection(state: FollowedServer): void {
  const { held } = state;
  state.held = undefined;
  state.tools = undefined;
  held?.retire();
  held?.release();
}

interface Reading {
  readonly server: StoredObject;
  readonly state: FollowedServer;
  readonly signal: AbortSignal;
  readonly changed: () => void;
}

/** Returns the list as it was read last. */
async function readTools(options: McpSyncOptions, reading: Reading): Promise<readonly DiscoveredTool[]> {
  try {
    return await readList(options, reading);
  } catch (error) {
    const { held } = reading.state;
    if (!held || !isSessionForgotten(error, held.connection)) throw error;
    dropConnection(reading.state);
    return readList(options, reading);
  }
}

/** Connects where necessary, and reads the list where it may have changed. */
async function readList(options: McpSyncOptions, { server, state, signal, changed }: Reading): Promise<readonly DiscoveredTool[]> {
  const { connections, clock } = options;
  if (!state.held) {
    const { phase } = statusOf(SERVER, server);
    if (phase !== 'Ready' && phase !== 'Error')
      await setStatus(options, server, { change: (status) => ({ ...status, phase: 'Connecting' }) });
    const held = await connections.hold(server, signal);
    state.held = held;
    state.tools = undefined;
    const { connection } = held;
    connection.onToolsChanged(() => {
      state.tools = undefined;
      changed();
    });
    let isTailDue = false;
    connection.onStderr(() => {
      if (isTailDue) return;
      isTailDue = true;
      void clock.sleep(TAIL_WAIT_MS, connection.closed).then(
        () => {
          isTailDue = false;
          changed();
        },
        () => undefined,
      );
    });
    const lose = () => {
      held.release();
      if (state.held !== held) return;
      state.held = undefined;
      state.tools = undefined;
      state.ended = held;
      changed();
    };
    if (connection.closed.aborted) lose();
    else connection.closed.addEventListener('abort', lose, { once: true });
  }
  if (state.tools && clock.now() - state.listedAt < RELIST_MS) return state.tools;
  const { held } = state;
  if (!held) throw new CallError('execution_failed', 'the connection was lost', { retryable: true, reason: 'connection_lost' });
  const listedAt = clock.now();
  // A change that is reported while the list is read causes another read.
  state.tools = [];
  const listed = await held.connection.listTools(signal).catch((error: unknown) => {
    state.tools = undefined;
    throw error;
  });
  const tools = maskTools(listed, held.secrets);
  if (state.tools) state.tools = tools;
  else changed();
  state.quickReadings = listedAt - state.listedAt < RELIST_MS ? state.quickReadings + 1 : 0;
  state.listedAt = listedAt;
  return tools;
}

interface Import {
  readonly state: FollowedServer;
  readonly tools: readonly DiscoveredTool[];
}

/** Brings the Tools in line with the list. */
async function importTools(options: McpSyncOptions, server: StoredObject, { state, tools }: Import): Promise<void> {
  const { store, registry, claim, clock } = options;
  const { namespace, name } = server;
  const { held } = state;
  const { connection, secrets } = held ?? {};
  const { tool_filter: filter } = specOf(SERVER, server);
  const plan = planSync({
    server: name,
    namespace,
    discovered: tools,
    include: filter?.include,
    present: await presentTools(options, server, tools),
    removed: statusOf(SERVER, server).removedTools ?? [],
  });
  const ahead = await writeAhead(options, server, plan);
  if (!ahead) return;
  await transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    const current = await unchanged(tx, server);
    if (!current) return;
    const refused = new Map([...ahead.refused, ...(await carryOut(registry.within(tx), server, ahead.rest))]);
    const problems = [...plan.clashes, ...plan.skipped, ...refused.values()];
    const generatedTools = plan.generated.filter((tool) => !refused.has(tool)).sort();
    const discoveredTools = tools.map((tool) => listedName(tool.name)).sort();
    const before = statusOf(SERVER, current);
    await updateStatus(tx, {
      key: server,
      clock,
      by: partName('controllers'),
      change: ({ lastError: _cleared, stderrTail: _tail, stricterTools: _stricter, removedTools: _removed, ...status }) => ({
        ...status,
        phase: plan.clashes.length > 0 ? 'Error' : 'Ready',
        ...(problems.length > 0 && { lastError: textStart(problems.join('; '), ERROR_MAX_CHARS) }),
        discoveredTools,
        generatedTools,
        ...(plan.stricter.length > 0 && { stricterTools: plan.stricter }),
        ...(plan.removed.length > 0 && { removedTools: plan.removed }),
        lastSyncedAt: timestamp(state.listedAt),
        ...(connection && { protocolVersion: connection.protocolVersion, ...tailOf(connection.stderrTail(), secrets) }),
        observedGeneration: server.generation,
      }),
    });
    const counts = { discovered: discoveredTools.length, generated: generatedTools.length };
    const isSame = jsonEquals([before.discoveredTools, before.generatedTools], [discoveredTools, generatedTools]);
    if (connection && state.announced !== held)
      await tx.appendFact(current, timestamp(clock.now()), connectedFact(connection.protocolVersion, counts));
    else if (!isSame) await tx.appendFact(current, timestamp(clock.now()), listChangedFact(counts));
  });
  state.announced = held;
}

/** The server, unless it has changed meanwhile: that change is reconciled next. */
async function unchanged(tx: StoreTransaction, server: StoredObject): Promise<StoredObject | undefined> {
  const current = await tx.getObjectForUpdate(server);
  return current?.uid === server.uid && current.generation === server.generation ? current : undefined;
}

type ToolWrites = Pick<SyncPlan, 'removals' | 'writes'>;

/** Carries out all of a long plan but its last part, in transactions of a bounded length; undefined when the server has changed. */
async function writeAhead({ store, registry, claim }: McpSyncOptions, server: StoredObject, plan: SyncPlan) {
  const [removals, writes] = [[...plan.removals], [...plan.writes]];
  const refused = new Map<string, string>();
  while (Math.max(removals.length, writes.length) > WRITES_AT_ONCE) {
    const part = { removals: removals.splice(0, WRITES_AT_ONCE), writes: writes.splice(0, WRITES_AT_ONCE) };
    const done = await transactAgain(store, async (tx) => {
      await tx.assertClaim(claim);
      return (await unchanged(tx, server)) && carryOut(registry.within(tx), server, part);
    });
    if (!done) return undefined;
    for (const [name, problem] of done) refused.set(name, problem);
  }
  return { refused, rest: { removals, writes } };
}

const tailOf = (tail: string, secrets: ReadonlySet<string> = new Set()) => (tail === '' ? {} : { stderrTail: redactLines(tail, secrets) });

/** Returns the refusals by name of the Tool: one that cannot be stored does not stop the others. */
async function carryOut(
  registry: ReturnType<Registry['within']>,
  server: StoredObject,
  plan: ToolWrites,
): Promise<ReadonlyMap<string, string>> {
  const { namespace } = server;
  const refused = new Map<string, string>();
  for (const { name, uid } of plan.removals) await registry.remove(CONTEXT, { kind: TOOL, namespace, name, uid });
  for (const write of plan.writes) {
    const problem = await writeTool(registry, server, write);
    if (problem !== undefined) refused.set(write.name, `Tool "${write.name}" was refused: ${problem}`);
  }
  return refused;
}

async function writeTool(
  registry: ReturnType<Registry['within']>,
  server: StoredObject,
  { name, resourceVersion, body }: ToolWrite,
): Promise<string | undefined> {
  const { namespace } = server;
  const request = { kind: TOOL, namespace, body, alsoBy: creatorsOf(server) };
  try {
    if (resourceVersion === undefined) await registry.post(CONTEXT, request);
    else await registry.put(CONTEXT, { ...request, name, ifMatch: String(resourceVersion) });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid') return error.message;
    throw error;
  }
}

async function ownedTools({ store }: McpSyncOptions, { namespace, name }: NamespacedName): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  const labels = [{ op: 'eq', key: MCP_SERVER_OWNER, value: name }] as const;
  for await (const tool of eachObject(store, { kind: TOOL, namespace, labels })) if (isOwned(tool, name)) found.push(tool);
  return found;
}

/** Tools that the McpServer owns, and other Tools with names that it generates or has generated. */
async function presentTools(options: McpSyncOptions, server: StoredObject, tools: readonly DiscoveredTool[]): Promise<StoredObject[]> {
  const { namespace } = server;
  const owned = await ownedTools(options, server);
  const known = new Set(owned.map(({ name }) => name));
  const { generatedTools = [] } = statusOf(SERVER, server);
  const names = new Set([...generatedTools, ...tools.flatMap((tool) => generatedName(server.name, tool.name) ?? [])]);
  const wanted = [...names].filter((name) => !known.has(name));
  const others = await Promise.all(wanted.map((name) => options.store.getObject({ kind: TOOL, namespace, name })));
  return [...owned, ...others.filter((tool) => tool !== undefined)];
}

/** Removes the Tools of a deleted server. */
async function removeTools(options: McpSyncOptions, key: NamespacedName): Promise<undefined> {
  const owned = await ownedTools(options, key);
  while (owned.length > 0) {
    const part = owned.splice(0, WRITES_AT_ONCE);
    await transactAgain(options.store, async (tx) => {
      await tx.assertClaim(options.claim);
      if (await tx.getObjectForUpdate({ kind: SERVER, ...key })) return;
      for (const { kind, namespace, name, uid } of part) {
        if (await tx.getObjectForUpdate({ kind, namespace, name }))
          await options.registry.within(tx).remove(CONTEXT, { kind, namespace, name, uid });
      }
    });
  }
  return undefined;
}

interface Failure {
  readonly server: StoredObject;
  readonly state: FollowedServer;
  readonly error: CallError;
}

/** The generated Tools stay: their calls fail until the server is back. */
async function failed(options: McpSyncOptions, { server, state, error }: Failure): Promise<ReconcileOutcome> {
  const { reconnect } = specOf(SERVER, server);
  const held = state.held ?? state.ended;
  const secrets = held?.secrets ?? new Set<string>();
  state.attempts += 1;
  const exhausted = state.attempts >= (reconnect.max_attempts ?? 0);
  const rule = { backoffMs: durationMs(reconnect.backoff, '2s'), maxBackoffMs: SLOW_RETRY_MS, jitter: 'none' } as const;
  const requeueAfterMs = exhausted ? SLOW_RETRY_MS : backoffMs(rule, { failures: state.attempts, random: 0 });
  state.retryAt = Math.max(state.retryAt, options.clock.now() + requeueAfterMs);
  const tail = error instanceof ConnectError ? error.stderrTail : (held?.connection.stderrTail() ?? '');
  dropConnection(state);
  state.ended = undefined;
  const lastError = textStart(redactLines(error.message, secrets), ERROR_MAX_CHARS);
  const change = (status: Status): Status => ({
    ...status,
    phase: exhausted ? 'Error' : 'Connecting',
    lastError,
    ...tailOf(tail, secrets),
    observedGeneration: server.generation,
  });
  const fact = failedFact({
    attempt: state.attempts,
    maxAttempts: reconnect.max_attempts ?? 0,
    error: lastError,
    code: error.code,
    nextAttemptAt: timestamp(state.retryAt),
  });
  // Slow retries that fail alike are in the log once.
  await setStatus(options, server, {
    change,
    fact,
    isNews: (status) => !exhausted || status.phase !== 'Error' || status.lastError !== lastError,
  });
  return { requeueAfterMs };
}

interface StatusWrite {
  readonly change: (status: Status) => Status;
  readonly fact?: Fact;
  /** Whether the fact is appended, from the status before. */
  readonly isNews?: (status: McpServerStatus) => boolean;
}

async function setStatus({ store, claim, clock }: McpSyncOptions, key: StoredObject, write: StatusWrite): Promise<void> {
  const { change, fact, isNews } = write;
  await transactAgain(store, async (tx: StoreTransaction) => {
    await tx.assertClaim(claim);
    let before: McpServerStatus | undefined;
    const written = await updateStatus(tx, {
      key,
      uid: key.uid,
      clock,
      by: partName('controllers'),
      change: (status, object) => {
        // A changed transport is the other sync's.
        if (object.generation !== key.generation) return status;
        before = statusOf(SERVER, object);
        return keepEqual(status, change(status));
      },
    });
    if (written && before && fact && isNews?.(before) !== false) await tx.appendFact(written, timestamp(clock.now()), fact);
  });
}

const keepEqual = (before: Status, after: Status): Status => (jsonEquals(before, after) ? before : after);
