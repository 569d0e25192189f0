// From a claim to a run that is folded, decided and recorded up to its first outside call. A new Task is opened in the transaction that claims it.
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import type { Claim, ClaimQuery, Signal, Store, StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';
import { writeRun } from './commit.ts';
import { TASK_QUEUE } from './task-queue.ts';
import { unknownOutcomes } from './core/approvals.ts';
import { failRun } from './core/decide.ts';
import type { DecideContext } from './core/decision.ts';
import type { Entry } from './core/entries.ts';
import { IMPORT_WAIT_MS, PROBLEMS_SHOWN_MAX } from './core/limits.ts';
import { reduce } from './core/reduce.ts';
import { entryHandOvers } from './core/routing.ts';
import { settle, type Settled } from './core/settle.ts';
import { newRunState, type RunState } from './core/state.ts';
import { foldSignals } from './signals.ts';
import { readEntries } from './views/read-journal.ts';
import { loadDefinitions, type Definitions } from './load-definitions.ts';

/** A run in hand: its state is recorded up to `lastSeq`, and `decision` says what it asks for. */
export interface OpenRun {
  readonly claim: Claim;
  readonly state: RunState;
  lastSeq: number;
  decision: Settled['decision'];
}

export type Opened =
  | { readonly kind: 'open'; readonly run: OpenRun }
  /** It has a journal: read it with `resumeRun`. */
  | { readonly kind: 'resume'; readonly claim: Claim }
  /** Finished, put off or gone within the claiming transaction. */
  | { readonly kind: 'settled'; readonly claim: Claim };

export interface OpenContext {
  readonly store: Store;
  readonly decide: () => DecideContext;
}

/** Claims Tasks and opens the new ones, in one transaction. */
export async function claimRuns(context: OpenContext, query: Omit<ClaimQuery, 'queue' | 'now'>): Promise<Opened[]> {
  return context.store.transaction(async (tx) => {
    const decide = context.decide();
    const claims = await tx.claimWork({ ...query, queue: TASK_QUEUE, now: decide.now });
    const opened: Opened[] = [];
    for (const claim of claims) {
      const fresh = (await tx.readJournal(claim.key, 0, 1)).length === 0;
      opened.push(fresh ? await beginOrFail(tx, { claim, state: newRunState(), lastSeq: 0, decide }) : { kind: 'resume', claim });
    }
    return opened;
  });
}

/** Folds the journal of a claimed run and goes on where it stands. */
export async function resumeRun(context: OpenContext, claim: Claim): Promise<Opened> {
  const folded = await foldJournal(context.store, claim.key).catch((error: unknown) => unreadable(error));
  if ('error' in folded) return failUnreadable(context, claim, folded.error);
  const { state, lastSeq } = folded;
  return context.store.transaction((tx) => beginOrFail(tx, { claim, state, lastSeq, decide: context.decide() }));
}

function unreadable(error: unknown): { readonly error: unknown } {
  if (error instanceof ServiceError) throw error;
  return { error };
}

/** A journal that cannot be folded ends its Task; the journal stays as it is, with that end behind it. */
async function failUnreadable({ store, decide }: OpenContext, claim: Claim, error: unknown): Promise<Opened> {
  let lastSeq = 0;
  for await (const { seq } of readEntries(store, claim.key)) lastSeq = seq;
  return store.transaction((tx) => failBroken(tx, { claim, lastSeq, decide: decide() }, error));
}

/** A run the rules stumble over ends as Failed: thrown on, it would come back for ever and hold up the Tasks claimed with it. */
async function beginOrFail(tx: StoreTransaction, beginning: Beginning): Promise<Opened> {
  try {
    return await begin(tx, beginning);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return failBroken(tx, beginning, error);
  }
}

export async function failBroken(
  tx: StoreTransaction,
  { claim, lastSeq, decide }: Omit<Beginning, 'state'>,
  error: unknown,
): Promise<Opened> {
  const state = newRunState();
  const failure = { code: 'internal_error', message: `the engine cannot go on with this run: ${String(error)}`, retryable: false };
  const entry = failRun(state, decide.now, { failure, phase: 'Failed' });
  reduce(state, entry);
  return recordBeginning(tx, { claim, state, lastSeq, decide }, { signals: [], entries: [entry], decision: { kind: 'finished' } });
}

/** Every problem in one sentence each, up to a number that still fits a status. */
function listed(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_SHOWN_MAX;
  return [...problems.slice(0, PROBLEMS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

export async function foldJournal(reader: StoreReader, stream: string): Promise<{ state: RunState; lastSeq: number }> {
  const state = newRunState();
  let lastSeq = 0;
  for await (const { seq, entry } of readEntries(reader, stream)) {
    reduce(state, entry);
    lastSeq = seq;
  }
  return { state, lastSeq };
}

interface Beginning {
  readonly claim: Claim;
  readonly state: RunState;
  readonly lastSeq: number;
  readonly decide: DecideContext;
}

async function begin(tx: StoreTransaction, beginning: Beginning): Promise<Opened> {
  const { claim, state } = beginning;
  const task = await tx.getObject({ kind: 'Task', namespace: claim.namespace, name: claim.name });
  if (!task || task.uid !== claim.key || state.status === 'finished') {
    await tx.finishWork(claim);
    return { kind: 'settled', claim };
  }
  const signals = await tx.readSignals(claim.key);
  const needsStart = state.status === 'new' || state.status === 'retrying';
  const definitions = needsStart ? await loadDefinitions(tx, task) : undefined;
  if (definitions?.kind === 'waiting' && signals.length === 0) return putOff(tx, beginning, { definitions, task });
  return recordBeginning(tx, beginning, { signals, ...advance(beginning, signals, definitions) });
}

async function recordBeginning(
  tx: StoreTransaction,
  { claim, state, lastSeq, decide }: Beginning,
  { entries, decision, signals }: Settled & { signals: readonly Signal[] },
): Promise<Opened> {
  const finished = decision.kind === 'finished';
  await writeRun(tx, {
    claim,
    state,
    lastSeq,
    now: decide.now,
    entries,
    signalIds: signals.map(({ id }) => id),
    change: { kind: finished ? 'finished' : 'claimed', claim },
  });
  if (finished) return { kind: 'settled', claim };
  return { kind: 'open', run: { claim, state, lastSeq: lastSeq + entries.length, decision } };
}

/** A tool that an McpServer has still to import only delays the start; the Task says what it waits for. */
async function putOff(
  tx: StoreTransaction,
  { claim, state, lastSeq, decide }: Beginning,
  { definitions, task }: { definitions: Extract<Definitions, { kind: 'waiting' }>; task: StoredObject },
): Promise<Opened> {
  const { blockedOn } = definitions;
  const until = decide.now + IMPORT_WAIT_MS;
  const change = jsonEquals(task.status['blockedOn'], blockedOn) ? undefined : ({ kind: 'waiting', claim, until, blockedOn } as const);
  await writeRun(tx, { claim, state, lastSeq, now: decide.now, entries: [], signalIds: [], change, release: { notBefore: until } });
  return { kind: 'settled', claim };
}

/** The entries of a claim: who has it, what came from outside, and everything that follows. */
function advance({ claim, state, decide }: Beginning, signals: readonly Signal[], definitions: Definitions | undefined): Settled {
  const at = decide.now;
  const given: Entry[] = [
    { type: 'run.claimed', at, data: { worker: claim.owner, fence: claim.fence, takeover: claim.takeover, attempt: state.attempts } },
  ];
  const add = (entries: readonly Entry[]) => {
    for (const entry of entries) reduce(state, entry);
    given.push(...entries);
  };
  add(unknownOutcomes(state, at));
  given.push(...foldSignals(state, signals, at));
  if (definitions?.kind === 'ready' && !state.cancel) {
    const attempt = state.attempts + 1;
    const { snapshot } = definitions;
    add([{ type: 'run.started', at, data: { attempt, snapshot, hand_overs: entryHandOvers(snapshot, attempt) } }]);
  }
  if (definitions?.kind === 'invalid') {
    const failure = { code: 'validation_failed', message: listed(definitions.problems), retryable: false };
    add([failRun(state, at, { failure, phase: 'Failed' })]);
  }
  const { entries, decision } = settle(state, decide);
  return { entries: [...given, ...entries], decision };
}
