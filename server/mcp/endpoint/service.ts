// Runs that MCP clients start: each call is a Task, which a handle finds again. Nothing of a call is kept outside the store.
import { randomBytes } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import { isObject, type JsonObject } from '@svc/shared/json';
import { turnsForMessage } from '@svc/shared/graph/graph';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { API_VERSION, DEFAULT_NAMESPACE, parseRef, phaseOf, type Resource, type NamespacedName } from '@svc/shared/resource';
import { DOOR_LABEL } from '@svc/shared/run-origin';
import type { InputChecks } from '../../engine/ports.ts';
import type { RunService } from '../../engine/runs/run-service.ts';
import { requireRole } from '../../registry/authorise.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { WatchMessage, WatchService, WatchStream } from '../../registry/watch/watch.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { CALL_WAIT_MS, PAGE_SYSTEMS_MAX, PAGE_TOOLS, READ_MAX_BYTES, SYSTEMS_PER_READ } from './limits.ts';
import { argumentsSchema, isEnabled, isHandle, meaningsOf, taskInput } from './tool-entry.ts';
import { timeLimit } from '../../clock.ts';

interface SystemsPage {
  readonly systems: readonly StoredObject[];
  /** Where the next page begins; absent: this is the last. */
  readonly next?: ListCursor;
}

/** The Task of a call. */
export interface McpRun extends NamespacedName {
  readonly uid: string;
}

interface ApprovalObject extends NamespacedName {
  readonly kind: string;
}

export type McpOutcome =
  | { readonly kind: 'succeeded'; readonly output: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'approval'; readonly approval: ApprovalObject; readonly message: string }
  /** Not over within the time that a call waits. */
  | { readonly kind: 'running'; readonly phase: string };

interface WaitOptions {
  readonly signal: AbortSignal;
  /** Called with each state of the run. */
  readonly onState: (state: string) => void;
}

type MayCall = (system: NamespacedName) => Promise<boolean>;

export interface McpCalls {
  /**
   * A page of the enabled systems, by namespace and name. Of two that make one tool name it has the one that a call reaches. `mayCall`: a system that the
   * caller may not call takes no name; absent: all may be called.
   */
  systems(context: RequestContext, after: ListCursor | undefined, mayCall?: MayCall): Promise<SystemsPage>;
  /** The first of these systems that is enabled. */
  find(context: RequestContext, places: readonly NamespacedName[]): Promise<StoredObject | undefined>;
  /** Creates the Task of a call. Throws `invalid` for arguments that do not fit. */
  start(context: RequestContext, system: NamespacedName, args: JsonObject): Promise<McpRun>;
  /** The run of an earlier call of this caller. Throws `not_found` for any other handle. */
  resume(context: RequestContext, system: NamespacedName, handle: string): Promise<McpRun>;
  /** Waits for the end of the run, or for what a person has to decide, for a bounded time. */
  wait(context: RequestContext, run: McpRun, options: WaitOptions): Promise<McpOutcome>;
  /** The caller withdrew the call. Does nothing to a run that has ended. */
  cancel(context: RequestContext, run: McpRun): Promise<void>;
}

export interface McpCallsDeps {
  readonly store: Store;
  readonly registry: Pick<Registry, 'within'>;
  readonly watches: Pick<WatchService, 'watch'>;
  readonly runs: Pick<RunService, 'explain' | 'cancel'>;
  readonly inputs: Pick<InputChecks, 'check'>;
}

const NAME_BYTES = 12;
const CREATED_BY = 'svc.dev/created-by';
const TERMINAL: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

export function createMcpCalls(deps: McpCallsDeps): McpCalls {
  const { store, runs } = deps;
  return {
    systems: (_context, after, mayCall = () => Promise.resolve(true)) => enabledSystems(store, after, mayCall),
    find: (_context, places) => findSystem(store, places),
    async start(context, ref, args) {
      requireRole(context, 'writer', 'a call of a tool');
      const system = await store.getObject({ kind: 'AgentSystem', ...ref });
      if (!system || !isEnabled(system))
        throw new ServiceError('not_found', `AgentSystem ${ref.namespace}/${ref.name} is no longer a tool`);
      await checkArguments(deps, system, args);
      return createTask(deps, { context, system, args });
    },
    resume: (context, system, handle) => findRun(store, { context, system, handle }),
    wait: (context, run, options) => waitForRun(deps, { context, run }, options),
    async cancel(context, { namespace, name, uid }) {
      try {
        await runs.cancel(context, { namespace, name, uid }, 'the MCP client withdrew the call');
      } catch (error) {
        const isOver = error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found');
        if (!isOver) throw error;
      }
    },
  };
}

// ---------------------------------------------------------------- systems

async function enabledSystems(store: Store, start: ListCursor | undefined, mayCall: MayCall): Promise<SystemsPage> {
  const systems: StoredObject[] = [];
  let after = start;
  for (let read = 0; read < PAGE_SYSTEMS_MAX; read += SYSTEMS_PER_READ) {
    const query = { kind: 'AgentSystem', limit: SYSTEMS_PER_READ, ...(after && { after }) };
    const { objects, full } = await store.listPage(query, READ_MAX_BYTES);
    const isLastRead = !full && objects.length < SYSTEMS_PER_READ;
    for (const [index, object] of objects.entries()) {
      after = { namespace: object.namespace, name: object.name };
      if (isEnabled(object) && (await isFirstMeaning(store, object, mayCall))) systems.push(object);
      if (systems.length === PAGE_TOOLS && !(isLastRead && index === objects.length - 1)) return { systems, next: after };
    }
    if (isLastRead) return { systems };
  }
  return { systems, ...(after && { next: after }) };
}

async function isFirstMeaning(store: Store, { namespace, name, uid }: StoredObject, mayCall: MayCall): Promise<boolean> {
  if (namespace === DEFAULT_NAMESPACE) return true;
  for (const place of meaningsOf(`${namespace}--${name}`)) {
    const system = await findSystem(store, [place]);
    if (system?.uid === uid) return true;
    if (system && (await mayCall(place))) return false;
  }
  return false;
}

async function findSystem(store: Store, places: readonly NamespacedName[]): Promise<StoredObject | undefined> {
  for (const place of places) {
    const system = await store.getObject({ kind: 'AgentSystem', ...place });
    if (system && isEnabled(system)) return system;
  }
  return undefined;
}

// ---------------------------------------------------------------- start

async function checkArguments({ inputs }: McpCallsDeps, system: StoredObject, args: JsonObject): Promise<void> {
  const { namespace, name } = system;
  const problem = await inputs.check({ namespace, name, spec: { input_schema: argumentsSchema(system) } }, args);
  if (!problem) return;
  const { problems } = problem;
  const listed = problems?.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  throw new ServiceError('invalid', listed === undefined ? problem.message : `the arguments do not fit: ${listed}`);
}

interface Starting {
  readonly context: RequestContext;
  readonly system: StoredObject;
  readonly args: JsonObject;
}

function createTask({ store, registry }: McpCallsDeps, { context, system, args }: Starting): Promise<McpRun> {
  const { namespace } = system;
  const name = `mcp-${randomBytes(NAME_BYTES).toString('hex')}`;
  const metadata = { name, labels: { [CREATED_BY]: 'mcp', [DOOR_LABEL]: 'mcp' } };
  const spec = { system: system.name, input: taskInput(args), ...turnsForMessage(specOf('AgentSystem', system)) };
  return transactAgain(store, async (tx) => {
    const body = { apiVersion: API_VERSION, kind: 'Task', metadata, spec };
    const { resource } = await registry.within(tx).post(context, { kind: 'Task', body, namespace, ifNoneMatch: '*' });
    return { namespace, name, uid: resource.metadata.uid };
  });
}

// ---------------------------------------------------------------- handles

interface RunRequest {
  readonly context: RequestContext;
  readonly system: NamespacedName;
  readonly handle: string;
}

/** Finds the run of a handle. An unknown handle and that of another caller get the same error. */
async function findRun(store: Store, { context, system, handle }: RunRequest): Promise<McpRun> {
  requireRole(context, 'writer', 'a call of a tool');
  const { identity } = context;
  const { namespace } = system;
  const task = isHandle(handle) ? await store.getObject({ kind: 'Task', namespace, name: handle }) : undefined;
  const isTheirs = task !== undefined && (identity.role === 'admin' || task.createdBy === identity.name);
  if (!isTheirs || !isRunOf(task, system)) throw new ServiceError('not_found', 'no run of yours has this handle');
  return { namespace, name: task.name, uid: task.uid };
}

function isRunOf(task: StoredObject, system: NamespacedName): boolean {
  const ran = parseRef(specOf('Task', task).system, task.namespace);
  return task.labels[CREATED_BY] === 'mcp' && ran.namespace === system.namespace && ran.name === system.name;
}

// ---------------------------------------------------------------- wait

interface Waiting {
  readonly context: RequestContext;
  readonly run: McpRun;
}

async function waitForRun(deps: McpCallsDeps, { context, run }: Waiting, { signal, onState }: WaitOptions): Promise<McpOutcome> {
  const { namespace, name, uid } = run;
  const ended = AbortSignal.any([signal, timeLimit(CALL_WAIT_MS)]);
  let phase = 'Pending';
  let known = false;
  const query = { kind: 'Task', namespace, name };
  for await (const message of messagesOf(deps.watches.watch(context, query, { signal: ended }))) {
    if (message.type === 'synced' && !known) return deletedRun(run);
    if (message.type !== 'item' || message.item.resource.metadata.uid !== uid) continue;
    const { type, resource } = message.item;
    known = true;
    if (type === 'deleted') return deletedRun(run);
    ({ phase } = statusOf('Task', resource));
    onState(phase);
    const outcome = endOf(resource) ?? (phase === 'WaitingApproval' ? await openApproval(deps, context, run) : undefined);
    if (outcome) return outcome;
  }
  return { kind: 'running', phase };
}

async function* messagesOf<Item>(stream: WatchStream<Item>): AsyncGenerator<WatchMessage<Item>> {
  for await (const batch of stream) yield* batch;
}

const deletedRun = ({ namespace, name }: McpRun): McpOutcome => ({
  kind: 'failed',
  message: `Task ${namespace}/${name} of this call was deleted before its end`,
});

function endOf(task: Resource): McpOutcome | undefined {
  const { phase, reason, lastError, output } = statusOf('Task', task);
  if (!TERMINAL.has(phase)) return undefined;
  if (phase === 'Succeeded') return { kind: 'succeeded', output: runOutput(output).answer ?? '' };
  const why = [reason, lastError].filter((text) => text !== undefined && text !== '').join(': ');
  return { kind: 'failed', message: why === '' ? `the run ended as ${phase}` : why };
}

/** The oldest open question; undefined where it was decided and the run has not gone on yet. */
async function openApproval({ runs, store }: McpCallsDeps, context: RequestContext, run: McpRun): Promise<McpOutcome | undefined> {
  const { reasons } = await runs.explain(context, { namespace: run.namespace, name: run.name });
  for (const reason of Array.isArray(reasons) ? reasons : []) {
    if (!isObject(reason) || reason['code'] !== 'waiting_approval' || !isObject(reason['object'])) continue;
    const { kind, namespace = run.namespace, name } = reason['object'];
    const approval = { kind: String(kind), namespace: String(namespace), name: String(name) };
    // A decision is in the object before the run has read it.
    const object = await store.getObject(approval);
    if (!object || phaseOf(object) !== 'Pending') continue;
    return { kind: 'approval', approval, message: typeof reason['message'] === 'string' ? reason['message'] : '' };
  }
  return undefined;
}
