// From a claim to a run that is folded, decided and recorded up to its first outside call. A new Task is opened in the transaction that claims it.
import { isUnavailable, ServiceError } from '@svc/shared/errors';
import type { Claim, ClaimQuery, Store, StoreTransaction } from '../../store/store.ts';
import { outsideFirst } from '../../store/outside-first.ts';
import { transactAgain } from '../../store/write-race.ts';
import { allOf } from '../../store/all-of.ts';
import { beginOrFail, failBroken, prepareOrFail, type BegunRun, type OpenRun, type PreparedRun } from './begin-run.ts';
import type { DecideMoment } from '../core/decision.ts';
import { newRunState } from '../core/state.ts';
import { separate } from './separate-claims.ts';
import { foldInPortions, journalHead, type FoldedJournal } from './fold-journal.ts';
import { isRecorded } from './recorded-write.ts';
import type { JudgeDeps } from './judge.ts';
import type { RunObserver } from '../observer.ts';
import type { RunContexts } from '../definitions/run-context.ts';
import type { RunListeners } from '../run-listeners.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { readEntries } from '../views/read-journal.ts';

export type OpenedRun =
  | { readonly kind: 'open'; readonly run: OpenRun }
  /** It has a journal: read it with `resumeRun`. */
  | { readonly kind: 'resume'; readonly claim: Claim }
  /** Finished, put off, handed on or gone within the claiming transaction. */
  | { readonly kind: 'settled'; readonly claim: Claim };

export interface OpenContext {
  readonly store: Store;
  readonly decide: () => DecideMoment;
  readonly judge: JudgeDeps;
  readonly observer: RunObserver;
  readonly runListeners: RunListeners;
  readonly contexts: RunContexts;
  /** Capabilities of this worker, as of now. */
  readonly capabilities: () => ClaimQuery['capabilities'];
  /** See TAKEOVERS_MAX. */
  readonly takeoversMax: number;
  /** True while claims are committed before anything of their runs is opened: a run that kills this process while it is opened then leaves a trace. */
  readonly wary: () => boolean;
}

type Resumption = { readonly kind: 'resume'; readonly claim: Claim };

export interface ClaimRequest extends Omit<ClaimQuery, 'queue' | 'now'> {
  /** End of the first lease that this worker holds. Nothing is claimed from then on: the claim would take over its own run. */
  readonly leasedUntil: () => number;
}

/** Claims Tasks and opens the new ones, in one transaction. When that fails on one of them they are claimed unopened, so that it holds up no other. */
export async function claimRuns(context: OpenContext, query: ClaimRequest): Promise<OpenedRun[]> {
  const began = context.decide().now;
  const claiming = context.wary() ? claimUnopened(context, query) : claimAndOpen(context, query);
  const claimed = await claiming.catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    return claimUnopened(context, query);
  });
  const appendMs = context.decide().now - began;
  return claimed.map((each) => ('kind' in each ? each : reportOpened(context, each, appendMs)));
}

function claimAndOpen(context: OpenContext, query: ClaimRequest): Promise<(BegunRun | Resumption)[]> {
  return transactAgain(context.store, async (tx) => {
    const decide = context.decide();
    const { kept, begun } = await claimSafely(context, tx, { query, now: decide.now });
    // All are read in the same round trips.
    const prepared = await allOf(kept.map((claim) => prepareClaim(context, tx, { claim, decide })));
    const independent = prepared.filter(isIndependent);
    const written = new Map(await allOf(independent.map(async (run) => [run, await run.write()] as const)));
    for (const run of prepared) begun.push(isPrepared(run) ? (written.get(run) ?? (await run.write())) : run);
    return begun;
  });
}

interface FirstClaim {
  readonly claim: Claim;
  readonly decide: DecideMoment;
}

async function prepareClaim(context: OpenContext, tx: StoreTransaction, { claim, decide }: FirstClaim): Promise<PreparedRun | Resumption> {
  // A first claim has nothing behind it, unless its item was removed and came again.
  const fresh = claim.takeovers === 0 && (claim.fence === 1 || (await tx.readJournal(claim.key, 0, 1)).length === 0);
  if (!fresh) return { kind: 'resume', claim };
  const base = { claim, state: newRunState(), lastSeq: 0, lastEntryAt: 0, decide };
  return prepareOrFail(tx, { ...context, ...base, capabilities: context.capabilities() });
}

const isPrepared = (run: PreparedRun | Resumption): run is PreparedRun => 'write' in run;
const isIndependent = (run: PreparedRun | Resumption): run is PreparedRun => isPrepared(run) && run.independent;

function claimUnopened(context: OpenContext, query: ClaimRequest): Promise<(BegunRun | Resumption)[]> {
  return transactAgain(context.store, async (tx) => {
    const { kept, begun } = await claimSafely(context, tx, { query, now: context.decide().now });
    return [...begun, ...kept.map((claim): Resumption => ({ kind: 'resume', claim }))];
  });
}

interface Claiming {
  readonly query: ClaimRequest;
  readonly now: number;
}

/** Claims, and releases runs that must not share this process: `begun` stands for those. Their takeovers stay counted. */
async function claimSafely({ takeoversMax }: OpenContext, tx: StoreTransaction, { query, now }: Claiming) {
  const { leasedUntil, ...claimed } = query;
  const claims = leasedUntil() <= now ? [] : await tx.claimWork({ ...claimed, queue: TASK_QUEUE, now });
  const { kept, back } = separate(claims, takeoversMax);
  for (const { claim, alone } of back)
    await tx.releaseWork(claim, { notBefore: now, requirements: { ...claim.requirements, ...(alone && { alone }) } });
  const begun = back.map(({ claim }): BegunRun | Resumption => ({ claim, run: undefined, state: newRunState(), entries: [], waitedMs: 0 }));
  return { kept, begun };
}

/** Reports durable entries only to the observer. */
function reportOpened({ observer }: OpenContext, begun: BegunRun, appendMs: number): OpenedRun {
  const { claim, run, state, entries, waitedMs } = begun;
  if (entries.length > 0) {
    observer.claimed(claim, waitedMs);
    observer.recorded(claim, entries, { state, appendMs });
  }
  run?.record?.committed();
  return run ? { kind: 'open', run } : { kind: 'settled', claim };
}

/**
 * Folds the journal of a claimed run and continues from there. Each call of the returned function is one try: it reads afresh, and knows
 * when a try before it was recorded although its answer never came.
 */
export function resumeRun(context: OpenContext, claim: Claim): () => Promise<OpenedRun> {
  const { store, decide } = context;
  let unsure: { readonly lastSeq: number; readonly begun: BegunRun } | undefined;
  const attempt = async (): Promise<OpenedRun> => {
    const began = decide().now;
    if (unsure && (await isRecorded(store, { stream: claim.key, lastSeq: unsure.lastSeq, entries: unsure.begun.entries })))
      return reportOpened(context, unsure.begun, decide().now - began);
    unsure = undefined;
    const folded = await foldOrExplain(context, claim);
    const begun = await store.transaction(async (tx) => {
      const { lastSeq } = folded;
      const base = { claim, lastSeq, decide: decide(), runListeners: context.runListeners };
      const result =
        'error' in folded
          ? await failBroken(tx, base, folded.error)
          : await beginOrFail(tx, { ...context, ...base, ...folded, capabilities: context.capabilities() });
      unsure = { lastSeq, begun: result };
      return result;
    });
    return reportOpened(context, begun, decide().now - began);
  };
  // The fold is half way when the transaction ends: each round folds afresh.
  return () => outsideFirst(attempt);
}

/** A journal that cannot be folded ends its Task; the journal stays as it is, with that end behind it. */
async function foldOrExplain(
  { store, takeoversMax }: OpenContext,
  claim: Claim,
): Promise<FoldedJournal | { readonly error: unknown; readonly lastSeq: number }> {
  // It was lost again while it was given up: to fold its journal may be what kills its workers.
  if (takeoversMax > 0 && claim.takeovers > takeoversMax)
    return { state: newRunState(), lastSeq: await journalHead(store, claim.key), lastEntryAt: 0 };
  try {
    return await foldInPortions(store, claim.key);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    let lastSeq = 0;
    for await (const { seq } of readEntries(store, claim.key)) lastSeq = seq;
    return { error, lastSeq };
  }
}
