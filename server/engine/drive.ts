// The shell around the pure core: performs what decide asks for, records what comes back with all its consequences, and asks again.
import type { Store } from '../store/store.ts';
import { createCalls, type CallDeps, type Calls } from './calls.ts';
import { writeRun } from './commit.ts';
import type { DecideContext } from './core/decision.ts';
import type { Entry } from './core/entries.ts';
import { HELD_WAIT_MAX_MS } from './core/limits.ts';
import { reduce } from './core/reduce.ts';
import { settle, type Settled } from './core/settle.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import type { RunObserver } from './observer.ts';
import { signalEntry, type OpenRun } from './open-run.ts';
import type { StatusChange } from './task-status.ts';

export interface DriveDeps extends CallDeps {
  readonly store: Store;
  /** In [0, 1); spreads retries. */
  readonly random: () => number;
  readonly observer: RunObserver;
}

/** How the owner of the claim reaches a run that is being driven. */
export interface DriveControl {
  /** Aborted when the claim is lost: the run stops at once and its results are dropped. */
  readonly lost: AbortSignal;
  /** Aborted to give the run back at a safe point: model calls are cut off, tool calls may end until `stopBy`. */
  readonly stopping: AbortSignal;
  /** Milliseconds since the epoch; read once `stopping` is aborted. */
  readonly stopBy: () => number;
  /** Calls back when a signal for this run has come; returns the unsubscribe function. */
  readonly onSignal: (listener: () => void) => () => void;
}

export type DriveEnd = 'finished' | 'released';

interface Drive {
  readonly deps: DriveDeps;
  readonly run: OpenRun;
  readonly control: DriveControl;
  readonly calls: Calls;
  readonly mailbox: Mailbox<Entry>;
  signalled: boolean;
}

/** Drives a claimed run until it ends, waits longer than is worth holding it, or is stopped. Throws LeaseLost, and the store's errors; the claim then runs out. */
export async function driveRun(deps: DriveDeps, run: OpenRun, control: DriveControl): Promise<DriveEnd> {
  const mailbox = createMailbox<Entry>(deps.clock);
  const drive: Drive = { deps, run, control, mailbox, calls: createCalls(deps, mailbox.put), signalled: true };
  const unsubscribe = control.onSignal(() => {
    drive.signalled = true;
    mailbox.nudge();
  });
  control.lost.addEventListener('abort', mailbox.nudge);
  control.stopping.addEventListener('abort', mailbox.nudge);
  // A signal may have come after the claim was opened and before this subscription.
  mailbox.nudge();
  try {
    return await loop(drive);
  } finally {
    unsubscribe();
    control.lost.removeEventListener('abort', mailbox.nudge);
    control.stopping.removeEventListener('abort', mailbox.nudge);
    drive.calls.abort();
  }
}

async function loop(drive: Drive): Promise<DriveEnd> {
  for (;;) {
    const { decision, state } = drive.run;
    if (decision.kind === 'finished') return 'finished';
    drive.control.lost.throwIfAborted();
    if (drive.control.stopping.aborted) return release(drive);
    const waitUntil = releasableWait(drive, decision);
    if (waitUntil !== undefined) return giveBack(drive, waitUntil);
    if (decision.kind === 'perform' && state.attempt) drive.calls.keep(state.attempt, decision.effects);
    const results = await drive.mailbox.take(decision.kind === 'perform' ? decision.wakeAt : decision.at);
    drive.control.lost.throwIfAborted();
    await record(drive, results);
  }
}

function contextOf({ deps, run }: Drive): DecideContext {
  return { now: deps.clock.now(), random: deps.random, worker: run.claim.owner };
}

/** When there is nothing to do but wait, and not for a moment only: until when. The next attempt always begins with a claim, which loads its definitions. */
function releasableWait({ deps, signalled }: Drive, decision: Settled['decision']): number | undefined {
  if (signalled || decision.kind === 'finished') return undefined;
  if (decision.kind === 'next_attempt') return decision.at;
  const { effects, wakeAt } = decision;
  return effects.length === 0 && wakeAt !== undefined && wakeAt - deps.clock.now() > HELD_WAIT_MAX_MS ? wakeAt : undefined;
}

/** Folds what came in, settles, and writes it all under the fence. */
async function record(drive: Drive, results: readonly Entry[]): Promise<void> {
  const { deps, run } = drive;
  const context = contextOf(drive);
  const signals = drive.signalled ? await deps.store.readSignals(run.claim.key) : [];
  drive.signalled = false;
  const given = [...stillAsked(run, results), ...signals.flatMap((signal) => signalEntry(signal, context.now) ?? [])];
  for (const entry of given) reduce(run.state, entry);
  const { entries, decision } = settle(run.state, context);
  const change: StatusChange | undefined = decision.kind === 'finished' ? { kind: 'finished', claim: run.claim } : undefined;
  await write(drive, { entries: [...given, ...entries], signalIds: signals.map(({ id }) => id), change });
  run.decision = decision;
}

/** A result that crossed with the decision to drop its call (a timeout, a cancel) is dropped too. */
function stillAsked({ decision }: OpenRun, results: readonly Entry[]): Entry[] {
  const asked = new Set(decision.kind === 'perform' ? decision.effects.map(({ key }) => key) : []);
  return results.filter(({ data }) => 'request_id' in data && asked.has(data.request_id));
}

interface Step {
  readonly entries: readonly Entry[];
  readonly signalIds: readonly number[];
  readonly change: StatusChange | undefined;
  readonly releaseAt?: number;
}

async function write({ deps, run }: Drive, step: Step): Promise<void> {
  if (step.entries.length === 0 && step.signalIds.length === 0) return;
  const { claim, state, lastSeq } = run;
  await deps.store.transaction((tx) => writeRun(tx, { claim, state, lastSeq, now: deps.clock.now(), ...step }));
  run.lastSeq += step.entries.length;
}

async function giveBack(drive: Drive, until: number): Promise<DriveEnd> {
  const { deps, run } = drive;
  const { claim, state } = run;
  const data = { worker: claim.owner, attempt: state.attempts, cause: 'retry_wait' as const, until };
  const entry: Entry = { type: 'run.released', at: deps.clock.now(), data };
  await write(drive, { entries: [entry], signalIds: [], change: { kind: 'waiting', claim, until }, releaseAt: until });
  return 'released';
}

/** The safe point: model calls are dropped (they are sent again with the same request id), tool calls may still report. Their results are recorded, nothing new is begun. */
async function release(drive: Drive): Promise<DriveEnd> {
  const { deps, run, control, calls, mailbox } = drive;
  calls.abort('model');
  const results: Entry[] = await mailbox.take(deps.clock.now());
  while (calls.count('tool') > 0 && deps.clock.now() < control.stopBy() && !control.lost.aborted) {
    results.push(...(await mailbox.take(control.stopBy())));
  }
  control.lost.throwIfAborted();
  calls.abort();
  const given = stillAsked(run, results);
  for (const entry of given) reduce(run.state, entry);
  const { claim, state } = run;
  const now = deps.clock.now();
  const released: Entry = { type: 'run.released', at: now, data: { worker: claim.owner, attempt: state.attempts, cause: 'shutdown' } };
  await write(drive, { entries: [...given, released], signalIds: [], change: { kind: 'released', claim }, releaseAt: now });
  return 'released';
}
