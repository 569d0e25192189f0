// Tasks that a worker holds: each is driven in its own slot until it ends, is released, or is lost.
import { ServiceError } from '@svc/shared/errors';
import { WOKEN } from '../clock.ts';
import { failBroken, type OpenRun } from '../engine/shell/begin-run.ts';
import { driveRun, type DriveControl, type DriveDeps } from '../engine/shell/drive.ts';
import { resumeRun, type OpenContext, type OpenedRun } from '../engine/shell/open-run.ts';
import { retryUnavailableStore } from '../engine/shell/store-retry.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import { transactAgain } from '../store/write-race.ts';
import { createLostClaims, type LostClaims } from './lost-claims.ts';
import { runFields } from './run-log.ts';
import { createSlot, guardLease, type Slot } from './slot.ts';

export interface HoldingsOptions {
  readonly deps: DriveDeps;
  readonly context: OpenContext;
  readonly stop: Pick<DriveControl, 'stopping' | 'stopBy'>;
  readonly leaseMs: number;
  /** Renews the leases of all that is held. Never rejects. */
  readonly renew: () => Promise<unknown>;
  /** Wait before a run that the store would not record is claimed again. */
  readonly retryMs: number;
  /** A slot has become free. */
  readonly onFree: () => void;
  /** A slot becomes free when the commit in progress succeeds. */
  readonly onLeaving: () => void;
  /** A run that was in doubt has made progress, or is held no more: others may be claimed. */
  readonly onProven: () => void;
  /** CPU time of this process, in milliseconds. */
  readonly cpuMs: () => number;
}

export interface Holdings {
  readonly slots: () => Slot[];
  /** End of the first lease held, by this worker's clock; Infinity where none is held. Lost ones do not count. */
  readonly leasedUntil: () => number;
  /** Notifies the run of this key that a signal has come. */
  readonly signal: (key: string) => void;
  /** Runs a claim and holds what it opened. Signals that come meanwhile are kept for it; those before it are read by the claim. */
  readonly claim: (open: () => Promise<readonly OpenedRun[]>) => Promise<number>;
  readonly count: () => number;
  /** Runs held that have not ended. */
  readonly running: () => number;
  /** Whether a run in doubt is held. */
  readonly inDoubt: () => boolean;
  /** Whether a run is held that nothing may be claimed beside. */
  readonly alone: () => boolean;
  /** Takes lost claims off the count of their runs, which a claim reads. Rejects while the store is unavailable. */
  readonly forgiveLost: () => Promise<void>;
  /** Resolves when nothing is held. */
  readonly drain: () => Promise<void>;
}

/** Needs of a held run. */
interface Holding extends HoldingsOptions {
  readonly lostClaims: LostClaims;
}

interface HeldRun {
  readonly slot: Slot;
  readonly done: Promise<void>;
}

export function createHoldings(options: HoldingsOptions): Holdings {
  const held = new Map<string, HeldRun>();
  const lostClaims = createLostClaims(options.deps.store);
  /** While a claim is in flight: keys that got a signal and are not held yet. */
  let missed: Set<string> | undefined;
  const hold = (opened: Exclude<OpenedRun, { kind: 'settled' }>): void => {
    const claim = opened.kind === 'open' ? opened.run.claim : opened.claim;
    // A worker that stood still may claim again what it still believes to hold.
    held.get(claim.key)?.slot.lose();
    const lease = { clock: options.deps.clock, leaseMs: options.leaseMs, cpuMs: options.cpuMs, renew: options.renew };
    const slot = createSlot(claim, { ...options.stop, onProven: options.onProven, onLeaving: options.onLeaving }, lease);
    if (opened.kind === 'open') slot.inDoubt = opened.run.inDoubt;
    const ended = new AbortController();
    // It begins once it is held: its first act may be to renew its lease.
    const done = Promise.resolve()
      .then(() => run({ ...options, lostClaims }, opened, slot))
      .finally(() => {
        ended.abort(WOKEN);
        if (held.get(claim.key)?.slot === slot) held.delete(claim.key);
        options.onFree();
        if (slot.inDoubt) options.onProven();
      });
    held.set(claim.key, { slot, done });
    void guardLease(slot, lease, ended.signal);
    if (missed?.has(claim.key)) slot.signal();
  };
  return {
    async claim(open) {
      missed = new Set();
      try {
        const opened = await open();
        for (const each of opened) if (each.kind !== 'settled') hold(each);
        return opened.length;
      } finally {
        missed = undefined;
      }
    },
    slots: () => [...held.values()].map(({ slot }) => slot),
    leasedUntil: () => Math.min(...[...held.values()].map(({ slot }) => (slot.control.lost.aborted ? Infinity : slot.leaseUntil))),
    signal(key) {
      const slot = held.get(key)?.slot;
      if (slot) slot.signal();
      else missed?.add(key);
    },
    count: () => held.size,
    running: () => [...held.values()].filter(({ slot }) => !slot.leaving).length,
    inDoubt: () => [...held.values()].some(({ slot }) => slot.inDoubt),
    alone: () => [...held.values()].some(({ slot }) => slot.inDoubt && slot.claim.requirements.alone === true),
    forgiveLost: lostClaims.forgive,
    async drain() {
      while (held.size > 0) await Promise.all([...held.values()].map(({ done }) => done));
      await lostClaims.forgive().catch(() => undefined);
    },
  };
}

/** Never rejects. */
async function run(options: Holding, opened: OpenedRun, slot: Slot): Promise<void> {
  try {
    const ready = opened.kind === 'resume' ? await resume(options, slot) : opened;
    if (ready.kind !== 'open') return;
    if (slot.inDoubt && !ready.run.inDoubt) slot.control.onProven();
    await driveOrFail(options, ready.run, slot);
  } catch (error) {
    await settleError(options, slot, error);
  }
}

/** Retries while the store is unavailable: an outage does not cost the claim while its lease lasts. */
function resume({ deps, context, stop }: HoldingsOptions, { claim, control }: Slot): Promise<OpenedRun> {
  const { clock, random } = deps;
  return retryUnavailableStore({ clock, random, lost: control.lost, ...stop }, resumeRun(context, claim));
}

/** A run whose rules throw is ended as Failed: otherwise it would be claimed and thrown again forever. */
async function driveOrFail({ deps, context }: HoldingsOptions, run: OpenRun, slot: Slot): Promise<void> {
  try {
    await driveRun(deps, run, slot.control);
  } catch (error) {
    if (error instanceof ServiceError || slot.control.lost.aborted) throw error;
    deps.log.error({ err: error, ...runFields(run.claim) }, 'a run failed unexpectedly');
    const { claim, lastSeq } = run;
    await transactAgain(deps.store, (tx) =>
      failBroken(tx, { claim, lastSeq, decide: context.decide(), runListeners: deps.runListeners }, error),
    );
  }
}

/** Share of the time since a lease was last renewed; past it the process was kept from renewing by its own work. */
const BUSY_SHARE = 0.5;

/**
 * A surviving process can correct the count: a suspended machine or an unavailable store used no CPU, and is not the
 * fault of the run. A run that kept the process busy past its lease is not forgiven.
 */
async function forgive({ deps, cpuMs, lostClaims }: Holding, { claim, renewed }: Slot): Promise<void> {
  const elapsedMs = deps.clock.now() - renewed.at;
  if (cpuMs() - renewed.cpuMs > elapsedMs * BUSY_SHARE) return;
  lostClaims.add(claim);
  await lostClaims.forgive().catch(() => undefined);
}

/** A lost claim needs nothing more. When the store refused a result, the claim is released, so that the next attempt need not wait for the lease. */
async function settleError(options: Holding, slot: Slot, error: unknown): Promise<void> {
  const { deps, retryMs } = options;
  const { claim, control } = slot;
  if (error instanceof LeaseLost || control.lost.aborted) {
    deps.observer.leaseLost(claim);
    return forgive(options, slot);
  }
  deps.log.error({ err: error, ...runFields(claim) }, 'a run was interrupted');
  const notBefore = deps.clock.now() + retryMs;
  await transactAgain(deps.store, (tx) => tx.releaseWork(claim, { notBefore })).catch(() => undefined);
}
