// Worker as an object that people see: made at the start, kept alive by heartbeats, followed while the worker runs, and updated when it stops.
// The object is how operators change a running worker; that a Task runs on one worker only is the work of leases and fences, not of this file.
import { invariant, ServiceError } from '@svc/shared/errors';
import { statusOf } from '@svc/shared/kinds/read';
import { SUSPEND_REASON } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { replaceStatus } from '../../registry/own-writes.ts';
import { partIdentity } from '../../registry/principal.ts';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { ClaimQuery, Fact, Store, StoredObject, StoreTransaction } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Logger } from '../../log/log.ts';
import {
  occupiedSince,
  offerSpec,
  REGISTERED_BY,
  reportedStatus,
  settingsOf,
  WORKER_KIND,
  workerKey,
  workerStream,
} from './worker-object.ts';
import type { IsolationBackend, WorkerOffer, WorkerPhase, WorkerSettings } from './worker-object.ts';
import { removeOrphans } from './orphans.ts';

export interface RegistrationOptions {
  readonly store: Store;
  readonly registry: Pick<Registry, 'within' | 'remove'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The worker's id, which is the object's name. */
  readonly id: string;
  /** Id of this start and no other. */
  readonly instance: string;
  /** Offer that the object's spec holds at the start. */
  readonly offer: WorkerOffer;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Nobody else can have the store open: objects of other workers are orphans, and one of this name is not in use. */
  readonly soleOwner: boolean;
  /** Reason why the worker cannot open Secrets, in one sentence; undefined when it can. */
  readonly secretsProblem: () => Promise<string | undefined>;
  /** Where its tools can be isolated, as of now. */
  readonly isolation: () => readonly IsolationBackend[];
  /** It starts programs of MCP servers. */
  readonly mcpStdio: boolean;
  /** Number of Tasks that the worker holds. */
  readonly held: () => number;
  /** Somebody edited the object: the worker offers something else, or was suspended or resumed. */
  readonly onChange: () => void;
  /** Another process took the object while this one stood still. */
  readonly onReplaced: () => void;
}

/** How often a start checks whether the process with its id is still alive. */
const OCCUPANT_POLL_MS = 250;
/** The one thing a worker says about its end. */
const STOPPED = 'stopped';
const CONTEXT: RequestContext = { identity: partIdentity('worker'), requestId: 'worker' };

const FACTS: Readonly<Record<WorkerPhase, { readonly action: string; readonly message: string }>> = {
  Ready: { action: 'ready', message: 'takes tasks' },
  Draining: { action: 'draining', message: 'claims no more tasks and releases those it has' },
  NotReady: { action: 'stopped', message: 'has stopped' },
};
const SUSPENDED_FACT = 'is suspended: it claims no more tasks; those it has continue';

export class Registration {
  readonly #options: RegistrationOptions;
  readonly #stopped = new AbortController();
  #settings: WorkerSettings;
  #secretsProblem: string | undefined;
  #phase: WorkerPhase | 'unregistered' = 'unregistered';
  /** False from the first failed heartbeat until one succeeds, so that an outage is one line of the log. */
  #reporting = true;
  #loop: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  /** Writes of this worker's object, one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#settings = { ...options.offer, suspended: false };
  }

  readonly capabilities = (): ClaimQuery['capabilities'] => {
    const { region, gpu, supportedModels } = this.#settings;
    const { mcpStdio } = this.#options;
    return { gpu, supportedModels, secrets: this.#secretsProblem === undefined, mcpStdio, ...(region !== undefined && { region }) };
  };

  /** 0 while suspended. */
  readonly maxConcurrentTasks = (): number => (this.#settings.suspended ? 0 : this.#settings.maxConcurrentTasks);

  /** Takes the object, making it when there is none. Waits out a predecessor of this id that died; rejects with `conflict` when it lives. */
  async register(): Promise<void> {
    const { store, registry, soleOwner, id } = this.#options;
    await this.#lookAtSecrets();
    await this.#take();
    if (soleOwner) await removeOrphans({ store, registry, context: CONTEXT, keep: id, onSuspended: (orphan) => this.#inherit(orphan) });
    this.#phase = 'Ready';
    await this.#report();
  }

  /** Begins the heartbeats, with further ones when somebody wrote the object. */
  start(): void {
    const { store, id } = this.#options;
    this.#unsubscribe ??= store.onCommit(({ signalled }) => {
      if (signalled.has(workerStream(id))) void this.runOnce();
    });
    this.#loop ??= this.#run();
  }

  /** One heartbeat; never rejects. */
  runOnce(): Promise<void> {
    return this.#write(async () => {
      await this.#lookAtSecrets();
      await this.#report();
    });
  }

  /** Records that no more Tasks are claimed; heartbeats continue. Never rejects; does nothing unless registered. */
  drain(): Promise<void> {
    return this.#enter('Draining');
  }

  /** Ends the heartbeats and says that the worker is gone. Never rejects. Idempotent; safe when never started. */
  async stop(): Promise<void> {
    if (this.#stopped.signal.aborted) return this.#writing;
    this.#stopped.abort();
    this.#unsubscribe?.();
    await this.#loop;
    await this.#enter('NotReady');
    this.#phase = 'unregistered';
  }

  async #run(): Promise<void> {
    const { clock, heartbeatMs } = this.#options;
    while (!this.#stopped.signal.aborted) {
      await clock.sleep(heartbeatMs, this.#stopped.signal).catch(() => undefined);
      if (!this.#stopped.signal.aborted) await this.runOnce();
    }
  }

  #enter(phase: WorkerPhase): Promise<void> {
    if (this.#phase === 'unregistered') return this.#writing;
    this.#phase = phase;
    return this.#write(() => this.#report());
  }

  /** After the writes before it. A store that is away is retried at the next heartbeat. */
  #write(action: () => Promise<void>): Promise<void> {
    const { log, id } = this.#options;
    this.#writing = this.#writing.then(action).then(
      () => {
        if (!this.#reporting) log.info({ worker: id }, 'the worker reports again');
        this.#reporting = true;
      },
      (error: unknown) => {
        if (this.#reporting) log.warn({ err: error, worker: id }, 'the worker could not report; it tries again');
        this.#reporting = false;
      },
    );
    return this.#writing;
  }

  /** Makes the object or takes over the one of this name, also against concurrent processes. */
  async #take(): Promise<void> {
    for (;;) {
      const stored = await this.#freeObject();
      try {
        this.#applySpec(await transactAgain(this.#options.store, (tx) => this.#takeIn(tx, stored)));
        return;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
      }
    }
  }

  /** The object of this name once no living process has it. A process that died leaves it free when its last heartbeat is a lease old. */
  async #freeObject(): Promise<StoredObject | undefined> {
    const { store, id, instance, leaseMs, clock, soleOwner } = this.#options;
    let first: number | undefined;
    for (;;) {
      const stored = await store.getObject(workerKey(id));
      const since = soleOwner ? undefined : occupiedSince(stored, { instance, now: clock.now(), leaseMs });
      if (since === undefined) return stored;
      if (since !== (first ??= since)) throw inUse(id);
      await clock.sleep(OCCUPANT_POLL_MS);
    }
  }

  /** Its offer and its instance in one write, so that of two processes only one takes the object. */
  async #takeIn(tx: StoreTransaction, stored: StoredObject | undefined): Promise<StoredObject> {
    const { registry, id, instance, offer } = this.#options;
    const key = workerKey(id);
    const metadata = { name: id, labels: stored?.labels ?? {}, annotations: { ...stored?.annotations, [REGISTERED_BY]: 'worker' } };
    const versions = stored ? { ifMatch: String(stored.resourceVersion) } : { ifNoneMatch: '*' };
    const suspend = stored !== undefined && settingsOf(stored).suspended;
    const spec = { ...offerSpec(offer), ...(suspend && { suspend }) };
    await registry.within(tx).post(CONTEXT, { ...key, body: { kind: key.kind, metadata, spec }, ...versions });
    const taken = await tx.getObjectForUpdate(key);
    invariant(taken, 'a Worker exists after its write');
    return replaceStatus(tx, taken, { status: { ...taken.status, instance }, now: this.#now(), by: CONTEXT.identity.name });
  }

  /** The worker before this one in the same store was suspended, under a name that no start has again: this one is, too. */
  async #inherit({ name, annotations }: StoredObject): Promise<void> {
    const { store, registry, id, log } = this.#options;
    const reason = annotations[SUSPEND_REASON];
    const metadata = { annotations: { ...(reason !== undefined && { [SUSPEND_REASON]: reason }) } };
    const body = { metadata, spec: { suspend: true } };
    await transactAgain(store, (tx) => registry.within(tx).patch(CONTEXT, { ...workerKey(id), body }));
    log.info({ worker: id, former: name }, 'the worker is suspended, as the one before it was');
  }

  /** Writes what the worker is and does, and reads the settings of its object. A deleted object is recreated, unless the worker is on its way out. */
  async #report(): Promise<void> {
    const { id, store } = this.#options;
    const phase = this.#phase;
    if (phase === 'unregistered') return;
    const worker = await transactAgain(store, (tx) => this.#reportIn(tx, phase));
    if (worker === 'replaced') return this.#stepDown();
    if (worker !== undefined) return;
    if (phase !== 'Ready') return;
    this.#options.log.warn({ worker: id }, 'the Worker object was deleted; it is created again');
    await this.#take();
    await this.#report();
  }

  async #reportIn(tx: StoreTransaction, phase: WorkerPhase): Promise<StoredObject | 'replaced' | undefined> {
    const { id, instance, held, isolation, mcpStdio } = this.#options;
    const current = await tx.getObjectForUpdate(workerKey(id));
    if (!current) return undefined;
    const now = this.#now();
    const { generation, status } = current;
    if ((statusOf(WORKER_KIND, current).instance ?? instance) !== instance) return 'replaced';
    // Before the number of held Tasks is read: a suspended worker that reports none claims none afterwards.
    this.#applySpec(current);
    const lastError = phase === 'NotReady' ? STOPPED : this.#secretsProblem;
    const suspended = phase === 'Ready' && settingsOf(current).suspended;
    const shown = suspended ? 'Draining' : phase;
    const report = { phase: shown, instance, now, currentTasks: held(), isolation: isolation(), mcpStdio, generation, lastError } as const;
    const next = reportedStatus(status, report);
    await replaceStatus(tx, current, { status: next, now, by: CONTEXT.identity.name });
    if (status.phase !== shown) await tx.appendFact(workerKey(id), timestamp(now), factOf(id, shown, suspended));
    return current;
  }

  #applySpec(worker: StoredObject): void {
    const next = settingsOf(worker);
    const changed = JSON.stringify(next) !== JSON.stringify(this.#settings);
    this.#settings = next;
    if (!changed) return;
    this.#options.log.info({ worker: this.#options.id, ...next }, 'the worker follows the settings of its object');
    this.#options.onChange();
  }

  /** Two processes of one id would share every lease; the newer one owns the name. */
  #stepDown(): void {
    this.#phase = 'unregistered';
    this.#stopped.abort();
    this.#unsubscribe?.();
    this.#options.log.error(
      { worker: this.#options.id },
      'another process took this worker id while this one did not answer; it claims nothing more',
    );
    this.#options.onReplaced();
  }

  async #lookAtSecrets(): Promise<void> {
    const problem = await this.#options.secretsProblem();
    if (problem !== undefined && problem !== this.#secretsProblem) {
      this.#options.log.error({ worker: this.#options.id }, `the worker claims no tasks that need Secrets: ${problem}`);
    }
    this.#secretsProblem = problem;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

function inUse(id: string): ServiceError {
  return new ServiceError(
    'conflict',
    `the worker id "${id}" is in use by another running process (Worker default/${id}); give this one its own with --worker-id`,
  );
}

function factOf(id: string, phase: WorkerPhase, suspended: boolean): Fact {
  const { action, message: ofPhase } = FACTS[phase];
  const message = suspended ? SUSPENDED_FACT : ofPhase;
  return { type: `worker.${action}`, source: 'worker', action, message: `worker ${id} ${message}` };
}
