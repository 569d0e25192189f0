// The shell around the pure core: performs the action of `decide`, records its result with all consequences, and repeats.
import { steadyClock } from '../../clock.ts';
import type { Claim, Store } from '../../store/store.ts';
import type { RunContexts } from '../definitions/run-context.ts';
import { createCalls, type CallDeps, type Calls, type RunCalls } from './calls.ts';
import { writeRun, type ClaimRelease, type RunWrite } from './commit.ts';
import type { DecideMoment } from '../core/decision.ts';
import type { Entry } from '../core/entries.ts';
import { HELD_WAIT_MAX_MS } from '../core/limits.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { madeProgress } from '../core/takeovers.ts';
import type { Outcome } from '../core/settle.ts';
import type { PauseState } from '../core/state.ts';
import { openStops, type OpenStop } from '../core/breakpoints.ts';
import { openWaits, type OpenWait } from '../core/waits.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import type { RunObserver } from '../observer.ts';
import type { RunListeners } from '../run-listeners.ts';
import type { OpenRun } from './begin-run.ts';
import type { WriteEnd } from './grouped-ends.ts';
import { appendOnce } from './recorded-write.ts';
import type { Governance } from '../ports.ts';
import { retryUnavailableStore, type StoreRetry } from './store-retry.ts';
import { settleJudged } from './judge.ts';
import { createProgressFacts } from './progress.ts';
import { foldSignals } from './signals.ts';
import type { StatusChange } from './task-status.ts';

export interface DriveDeps extends CallDeps {
  readonly store: Store;
  readonly governance: Governance;
  /** In [0, 1); spreads retries. */
  readonly random: () => number;
  readonly observer: RunObserver;
  readonly runListeners: RunListeners;
  readonly contexts: RunContexts;
  /** Shared by all runs of a worker, so that ends that come together are written together. */
  readonly writeEnd: WriteEnd;
}

/** How the owner of the claim reaches a run that is being driven. */
export interface DriveControl {
  /** Aborted when the claim is lost: the run stops at once and its results are dropped. */
  readonly lost: AbortSignal;
  /** Renews a lease that may have expired, and aborts `lost` unless that succeeds. Called before calls are started: a process that was suspended gets answers before its timers. Never rejects. */
  readonly checkLease: () => Promise<void>;
  /** Aborted to release the run at a safe point: model calls are aborted, tool calls may end until `stopBy`. */
  readonly stopping: AbortSignal;
  /** Milliseconds since the epoch; read once `stopping` is aborted. */
  readonly stopBy: () => number;
  /** The run has made progress after a takeover: it is in doubt no longer. */
  readonly onProven: () => void;
  /** The run has ended or was released, in a transaction that is not committed yet: this process has no more work on it. */
  readonly onLeaving: () => void;
  /** Calls back when a signal for this run has come, at once for one that came since it was claimed; returns the unsubscribe function. */
  readonly onSignal: (listener: () => void) => () => void;
}

export type DriveEnd = 'finished' | 'released';

interface Drive {
  readonly deps: DriveDeps;
  readonly run: OpenRun;
  readonly control: DriveControl;
  readonly calls: Calls;
  readonly mailbox: Mailbox<Entry>;
  readonly storeRetry: StoreRetry;
  /** Milliseconds by which the clock of the run is ahead of that of the queue. */
  readonly ahead: () => number;
  signalled: boolean;
}

/** Drives a claimed run until it ends, waits longer than is worth holding it, or is stopped. Throws LeaseLost, and the store's errors; the claim then expires. */
export async function driveRun(parts: DriveDeps, run: OpenRun, worker: DriveControl): Promise<DriveEnd> {
  // Time limits and durations of the run stay as they are when the machine's clock is set back.
  const clock = steadyClock(parts.clock);
  const deps: DriveDeps = { ...parts, clock };
  const ahead = () => Math.max(0, clock.now() - parts.clock.now());
  const control: DriveControl = { ...worker, stopBy: () => worker.stopBy() + ahead() };
  const mailbox = createMailbox<Entry>(deps.clock);
  const storeRetry = { clock: deps.clock, random: deps.random, ...control };
  const onProgress = createProgressFacts(deps, run.claim);
  let known = run.conversation;
  const conversation: RunCalls['conversation'] = async (ref) => (known ??= await deps.contexts.messages(deps.store, run.claim.key, ref));
  const calls = createCalls({ ...deps, onProgress, record: run.record, conversation }, mailbox.put);
  const drive: Drive = { deps, run, control, mailbox, calls, storeRetry, ahead, signalled: false };
  const unsubscribe = control.onSignal(() => {
    drive.signalled = true;
    mailbox.interrupt();
  });
  control.lost.addEventListener('abort', mailbox.interrupt);
  control.stopping.addEventListener('abort', mailbox.interrupt);
  try {
    return await loop(drive);
  } finally {
    unsubscribe();
    control.lost.removeEventListener('abort', mailbox.interrupt);
    control.stopping.removeEventListener('abort', mailbox.interrupt);
    drive.calls.abort();
    run.record?.close();
  }
}

async function loop(drive: Drive): Promise<DriveEnd> {
  for (;;) {
    const { decision, state } = drive.run;
    if (decision.kind === 'finished') return 'finished';
    await drive.control.checkLease();
    drive.control.lost.throwIfAborted();
    if (drive.control.stopping.aborted) return release(drive);
    const rest = restOf(drive, decision);
    if (rest) return giveBack(drive, rest);
    if (decision.kind === 'perform' && state.attempt) drive.calls.keep(state.attempt, decision.effects);
    const results = await drive.mailbox.take(decision.kind === 'perform' ? decision.wakeAt : decision.at);
    drive.control.lost.throwIfAborted();
    await record(drive, results);
  }
}

function momentOf({ deps, run, ahead }: Drive): DecideMoment {
  return { now: deps.clock.now(), ahead: ahead(), random: deps.random, worker: run.claim.owner };
}

/** A wait that no claim is held for: until a moment by the clock of the queue, or (absent) until a signal. */
interface Rest {
  readonly until: number | undefined;
  readonly waits: readonly OpenWait[];
  readonly paused?: PauseState;
  readonly stops?: readonly OpenStop[];
}

/** When there is nothing to do but wait, and not for a moment only. The next attempt always begins with a claim, which loads its definitions. */
function restOf({ deps, run, ahead, signalled }: Drive, decision: Outcome['decision']): Rest | undefined {
  if (signalled || decision.kind === 'finished') return undefined;
  if (decision.kind === 'next_attempt') return { until: decision.at, waits: [] };
  if (decision.effects.length > 0) return undefined;
  const { paused } = run.state;
  if (paused) return { until: undefined, waits: [], paused };
  const waits = openWaits(run.state);
  const { wakeAt: until } = decision;
  const stops = openStops(run.state);
  if (until === undefined) return waits.length > 0 ? { until, waits } : undefined;
  return until - deps.clock.now() > HELD_WAIT_MAX_MS ? { until: until - ahead(), waits, stops } : undefined;
}

/** Folds the new entries, settles with every call judged that follows, and writes it all under the fence. */
async function record(drive: Drive, results: readonly Entry[]): Promise<void> {
  const { deps, run } = drive;
  const moment = momentOf(drive);
  const signals = drive.signalled ? await retryUnavailableStore(drive.storeRetry, () => deps.store.readSignals(run.claim.key)) : [];
  drive.signalled = false;
  const given = stillExpected(run, results);
  for (const entry of given) applyEntry(run.state, entry);
  given.push(...foldSignals(run.state, signals, moment.now));
  const asking = <T>(ask: () => Promise<T>) => retryUnavailableStore(drive.storeRetry, ask);
  const { entries, decision } = await settleJudged(run.state, moment, { judge: deps, reader: deps.store, asking });
  const change: StatusChange | undefined = decision.kind === 'finished' ? { kind: 'finished', claim: run.claim } : undefined;
  await write(drive, { entries: [...given, ...entries], signalIds: signals.map(({ id }) => id), change });
  run.decision = decision;
}

/** Drops results of calls that were given up (timeout, cancel) while the results were on their way. */
function stillExpected({ decision }: OpenRun, results: readonly Entry[]): Entry[] {
  const asked = new Set(decision.kind === 'perform' ? decision.effects.map(({ key }) => key) : []);
  return results.filter(({ data }) => 'request_id' in data && asked.has(data.request_id));
}

interface Step {
  readonly entries: readonly Entry[];
  readonly signalIds: readonly number[];
  readonly change: StatusChange | undefined;
  readonly release?: ClaimRelease;
}

/** Retries while the store is unavailable; calls in flight continue meanwhile. A write that was recorded although its answer was lost is not recorded twice. */
async function write({ deps, run, storeRetry, ahead, control }: Drive, step: Step): Promise<void> {
  const { entries } = step;
  if (entries.length === 0 && step.signalIds.length === 0) return;
  const { store, clock, observer, runListeners } = deps;
  const { claim, state, lastSeq, task, record } = run;
  await record?.settle();
  const began = clock.now();
  const proves = run.inDoubt && madeProgress(entries);
  // A group is for ends that close no approvals.
  const grouped = step.change?.kind === 'finished' && state.approvals.size === 0 && state.reviews.size === 0;
  const once = appendOnce(store, { stream: claim.key, lastSeq, entries }, () => {
    const now = clock.now() - ahead();
    const run: RunWrite = { claim, state, lastSeq, task, now, proves, record, onLeaving: control.onLeaving, ...step };
    return grouped ? deps.writeEnd(run) : store.transaction((tx) => writeRun(tx, run, runListeners));
  });
  await retryUnavailableStore(storeRetry, once);
  record?.committed();
  run.lastSeq += entries.length;
  if (proves) {
    run.inDoubt = false;
    control.onProven();
  }
  if (entries.length > 0) observer.recorded(claim, entries, { state, appendMs: clock.now() - began });
}

async function giveBack(drive: Drive, rest: Rest): Promise<DriveEnd> {
  const { deps, run, ahead } = drive;
  const now = deps.clock.now();
  const { claim, state } = run;
  const base = { worker: claim.owner, attempt: state.attempts };
  const { until } = rest;
  const released: Step = restStep(rest, { claim, base, now });
  await write(drive, { ...released, release: until === undefined ? { notBefore: now - ahead(), parked: true } : { notBefore: until } });
  return 'released';
}

interface Resting {
  readonly claim: Claim;
  readonly base: { readonly worker: string; readonly attempt: number };
  readonly now: number;
}

function restStep({ until, waits, paused, stops: [stop] = [] }: Rest, { claim, base, now }: Resting): Step {
  if (paused) {
    const entry: Entry = { type: 'run.released', at: now, data: { ...base, cause: 'paused' } };
    return { entries: [entry], signalIds: [], change: { kind: 'paused', claim, paused } };
  }
  const [first, ...more] = waits;
  const wait = until !== undefined && { until };
  if (!first && stop) {
    const entry: Entry = { type: 'run.released', at: now, data: { ...base, cause: 'breakpoint', ...wait } };
    return { entries: [entry], signalIds: [], change: { kind: 'breakpoint', claim, stop, ...wait } };
  }
  if (!first) {
    const entry: Entry = { type: 'run.released', at: now, data: { ...base, cause: 'retry_wait', ...wait } };
    return { entries: [entry], signalIds: [], change: { kind: 'waiting', claim, until: until ?? now } };
  }
  const named = (kind: OpenWait['kind']) => waits.filter((open) => open.kind === kind).map(({ name }) => name);
  const data = { ...base, cause: 'approval_wait', approvals: named('ToolApproval'), reviews: named('TaskApproval'), ...wait } as const;
  const entry: Entry = { type: 'run.released', at: now, data };
  return { entries: [entry], signalIds: [], change: { kind: 'waiting_approval', claim, waits: [first, ...more], ...wait } };
}

/** The safe point: model calls are dropped (they are sent again with the same request id), tool calls may still report. Their results are recorded, nothing new is begun. */
async function release(drive: Drive): Promise<DriveEnd> {
  const { deps, run, control, calls, mailbox, ahead } = drive;
  calls.abort('model');
  const results: Entry[] = await mailbox.take(deps.clock.now());
  while (calls.count('tool') > 0 && deps.clock.now() < control.stopBy() && !control.lost.aborted) {
    results.push(...(await mailbox.take(control.stopBy())));
  }
  control.lost.throwIfAborted();
  calls.abort();
  const given = stillExpected(run, results);
  for (const entry of given) applyEntry(run.state, entry);
  const { claim, state } = run;
  const now = deps.clock.now();
  const released: Entry = { type: 'run.released', at: now, data: { worker: claim.owner, attempt: state.attempts, cause: 'shutdown' } };
  await write(drive, {
    entries: [...given, released],
    signalIds: [],
    change: { kind: 'released', claim },
    release: { notBefore: now - ahead() },
  });
  return 'released';
}
