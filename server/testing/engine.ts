// A store, a worker and scripted models and tools: everything a test or a benchmark needs to run Tasks without HTTP.
import { randomUUID } from 'node:crypto';
import { API_VERSION, type Resource } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type {
  CallOptions,
  Governance,
  ModelPort,
  ModelRequest,
  ModelResponse,
  ToolInvocation,
  ToolCheck,
  ToolPort,
} from '../engine/ports.ts';
import { silentObserver } from '../engine/observer.ts';
import { createRunListeners, type RunListener, type RunListeners } from '../engine/run-listeners.ts';
import type { OpenRecord } from '../engine/run-record.ts';
import { createTaskHooks } from '../engine/runs/task-hooks.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createLogger } from '../log/log.ts';
import type { ClosableInputChecks } from '../tools/input-check.ts';
import { scriptedInputs, type InputScript } from './scripted-inputs.ts';
import { createWorker, type Worker, type WorkerOptions } from '../worker/worker.ts';

export type Answer = Partial<ModelResponse>;
export type ModelScript = (request: ModelRequest, signal: AbortSignal, options: CallOptions) => Answer | Promise<Answer>;
type ToolScript = (call: ToolInvocation, signal: AbortSignal, options: CallOptions) => string | Promise<string>;

export const silentLog = createLogger({ level: 'silent', format: 'json', sink: { write: () => undefined } });

export function modelAnswer(answer: Answer): ModelResponse {
  return {
    content: '',
    toolCalls: [],
    usage: { inputTokens: 10, outputTokens: 5, source: 'estimated' },
    finishReason: 'stop',
    model: 'scripted',
    ...answer,
  };
}

/** A judge that lets everything through. */
export const allowAll: Governance = {
  judgeCall: () => Promise.resolve({ verdict: 'allow', rule: { kind: 'default' }, findings: [] }),
  judgeModel: () => Promise.resolve({ verdict: 'allow', rule: { kind: 'default' }, findings: [] }),
};

export interface EngineSetup {
  readonly model?: ModelScript;
  readonly tool?: ToolScript;
  /** Default: everything fits. */
  readonly checkInput?: InputScript;
  /** Default: every tool can run. */
  readonly canRun?: ToolCheck;
  /** In place of `checkInput`: real checks. */
  readonly inputChecks?: ClosableInputChecks;
  /** Default: everything is allowed. */
  readonly governance?: Governance;
  readonly runListeners?: readonly RunListener[];
  readonly openRecord?: OpenRecord;
  readonly clock?: Clock;
  readonly path?: string;
  readonly store?: Store;
  readonly worker?: Partial<WorkerOptions>;
}

export interface EngineBundle {
  readonly store: Store;
  readonly worker: Worker;
  readonly runListeners: RunListeners;
  readonly modelCalls: ModelRequest[];
  readonly toolCalls: ToolInvocation[];
  /** Writes an object as the registry would, hooks included. */
  readonly put: (kind: string, name: string, spec: Record<string, unknown>) => Promise<Resource>;
  /** Resolves with the Task once it is in one of these phases. */
  readonly until: (name: string, phases?: readonly string[]) => Promise<Resource>;
  /** The Task with its whole status. */
  readonly read: (name: string) => Promise<Resource>;
  readonly close: () => Promise<void>;
}

const TERMINAL = ['Succeeded', 'Failed', 'DeadLetter'];

export function toTestResource(stored: StoredObject): Resource {
  const { kind, name, namespace, uid, resourceVersion, generation, labels, annotations, createdAt, updatedAt, spec, status } = stored;
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion: String(resourceVersion),
    generation,
    labels,
    annotations,
    createdAt,
    updatedAt,
  };
  return { apiVersion: API_VERSION, kind, metadata, spec, status };
}

export async function openEngine(setup: EngineSetup = {}): Promise<EngineBundle> {
  const clock = setup.clock ?? systemClock;
  const store = setup.store ?? (await openSqliteStore({ path: setup.path ?? ':memory:', clock }));
  const modelCalls: ModelRequest[] = [];
  const toolCalls: ToolInvocation[] = [];
  const models: ModelPort = {
    async complete(_endpoint, request, options) {
      modelCalls.push({ ...request, messages: [...request.messages] });
      return modelAnswer(await (setup.model ?? (() => ({ content: 'done' })))(request, options.signal, options));
    },
  };
  const tools: ToolPort = {
    inputs: setup.inputChecks ?? scriptedInputs(setup.checkInput),
    canRun: setup.canRun ?? (() => Promise.resolve(undefined)),
    async invoke(call, options) {
      toolCalls.push(call);
      return { output: await (setup.tool ?? (() => 'ok'))(call, options.signal, options), attempts: 1 };
    },
  };
  const runListeners = createRunListeners(setup.runListeners ?? [], silentLog, setup.openRecord);
  const worker = createWorker({
    store,
    clock,
    log: silentLog,
    drive: { models, tools, governance: setup.governance ?? allowAll, random: () => 0.5, observer: silentObserver, runListeners },
    id: 'worker-1',
    capabilities: () => ({ gpu: false, supportedModels: [], secrets: true }),
    maxConcurrentTasks: () => 16,
    leaseMs: 30_000,
    heartbeatMs: 10_000,
    ...setup.worker,
  });
  const hooks = createTaskHooks({ store, clock, runListeners });
  const keyOf = (name: string) => ({ kind: 'Task', namespace: 'default', name });
  const until: EngineBundle['until'] = (name, phases = TERMINAL) =>
    waitFor(store, async () => {
      const task = await store.getObject(keyOf(name));
      return task && phases.includes(String(task.status['phase'])) ? toTestResource(task) : undefined;
    });
  return {
    store,
    worker,
    runListeners,
    modelCalls,
    toolCalls,
    async put(kind, name, spec) {
      const now = new Date(clock.now()).toISOString();
      const uid = randomUUID();
      const base = { resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: now, updatedAt: now };
      const object = { kind, namespace: 'default', name, uid, ...base, spec, status: { phase: 'Pending' } };
      await store.transaction(async (tx) => {
        await tx.insertObject(object);
        if (kind === 'Task') await hooks.onCreated?.(tx, toTestResource(object));
      });
      return toTestResource(object);
    },
    until,
    async read(name) {
      const task = await store.getObject(keyOf(name));
      if (!task) throw new Error(`no task ${name}`);
      const resource = toTestResource(task);
      return { ...resource, status: (await hooks.expandStatus?.(resource)) ?? resource.status };
    },
    async close() {
      await worker.stop();
      await store.close();
    },
  };
}

/** Asks again after every commit until there is an answer. */
export async function waitFor<T>(store: Store, ask: () => Promise<T | undefined>): Promise<T> {
  let wake: () => void = () => undefined;
  const unsubscribe = store.onCommit(() => wake());
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const answer = await ask();
      if (answer !== undefined) return answer;
      await woken;
    }
  } finally {
    unsubscribe();
  }
}

/** A system of these agents with a mock model, and the given graph. */
export async function putSystem(
  engine: EngineBundle,
  agents: Record<string, Record<string, unknown>>,
  graph: Record<string, unknown> = {},
): Promise<void> {
  await engine.put('ModelEndpoint', 'mock', { provider: 'mock' });
  for (const [name, spec] of Object.entries(agents))
    await engine.put('Agent', name, { model_ref: 'mock', prompt: `You are ${name}.`, ...spec });
  await engine.put('AgentSystem', 'system', { agents: Object.keys(agents), graph });
}
