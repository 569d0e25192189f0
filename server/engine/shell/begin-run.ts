// First transaction of a claim: it records the owner of the run, the signals from outside, and everything that follows from both.
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import { statusOf } from '@svc/shared/kinds/read';
import { timestamp } from '../../clock.ts';
import { OutsideFirst } from '../../store/outside-first.ts';
import { isMet } from '../../store/demand.ts';
import { eachObject } from '../../store/each-object.ts';
import type { Claim, ClaimQuery, Signal, StoredObject, StoreReader, StoreTransaction, WorkRequirements } from '../../store/store.ts';
import { closeApprovalsOf } from '../approvals/write-approvals.ts';
import { writeRun, type RunWrite } from './commit.ts';
import { failRun } from '../core/decide.ts';
import type { DecideMoment } from '../core/decision.ts';
import { COMMON_JOURNAL_FORMAT, JOURNAL_FORMAT, type Entry } from '../core/entries.ts';
import { IMPORT_WAIT_MS, PROBLEMS_SHOWN_MAX } from '../core/limits.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { entryHandOvers } from '../core/routing.ts';
import { restoredEntry } from '../core/restore.ts';
import type { Outcome } from '../core/settle.ts';
import type { RunListeners } from '../run-listeners.ts';
import type { RunRecord } from '../run-record.ts';
import { newRunState, type RunState } from '../core/state.ts';
import { madeProgress, poisonedFailure, standingOf } from '../core/takeovers.ts';
import { settleJudged, type JudgeDeps } from './judge.ts';
import { withConversation, type RunContext, type RunContexts } from '../definitions/run-context.ts';
import type { ConversationMessage } from '../core/snapshot.ts';
import { loadDefinitions, type Definitions } from '../definitions/load-definitions.ts';
import { offerOf, WORKER_READY } from '../definitions/placement.ts';
import { needsPrograms, needsSecrets } from '../definitions/worker-needs.ts';
import { taskFact } from './task-status.ts';
import { CANCEL_SIGNAL, foldGiven, RESUME_SIGNAL } from './signals.ts';

/** A claimed run: its state is recorded up to `lastSeq`, and `decision` holds the next step. */
export interface OpenRun {
  readonly claim: Claim;
  readonly state: RunState;
  lastSeq: number;
  decision: Outcome['decision'];
  /** It was taken over and has made no progress since. */
  inDoubt: boolean;
  /** The Task as the claim wrote it. */
  readonly task: StoredObject | undefined;
  readonly record: RunRecord | undefined;
  /** Messages that it continues, where they are read already. */
  readonly conversation: readonly ConversationMessage[] | undefined;
}

export interface Beginning {
  readonly claim: Claim;
  readonly state: RunState;
  readonly lastSeq: number;
  readonly decide: DecideMoment;
  readonly judge: JudgeDeps;
  readonly runListeners: RunListeners;
  readonly contexts: RunContexts;
  /** Capabilities of this worker. */
  readonly capabilities: ClaimQuery['capabilities'];
  /** When the last entry was made, in milliseconds; 0 when there is none. */
  readonly lastEntryAt: number;
  /** See TAKEOVERS_MAX. */
  readonly takeoversMax: number;
}

/** Result of a claim. `run` is absent when it is finished, put off, or another worker's to run. */
export interface BegunRun {
  readonly claim: Claim;
  readonly run: OpenRun | undefined;
  readonly state: RunState;
  /** Entries that were recorded. */
  readonly entries: readonly Entry[];
  /** How long the Task could have been taken before it was. */
  readonly waitedMs: number;
}

/** A claimed run that is read and decided, and not written yet. */
export interface PreparedRun {
  /** True when the write touches nothing but its own Task: it may then be in flight together with those of other runs. */
  readonly independent: boolean;
  /** Called once, in the transaction that prepared it. */
  readonly write: () => Promise<BegunRun>;
}

/** Ends a run as Failed when the rules throw: if the error were thrown on, the run would come back forever and block the Tasks claimed with it. */
export async function prepareOrFail(tx: StoreTransaction, beginning: Beginning): Promise<PreparedRun> {
  const failed = (error: unknown) => {
    if (error instanceof ServiceError || error instanceof OutsideFirst) throw error;
    return () => failBroken(tx, beginning, error);
  };
  try {
    const { independent, write } = await prepare(tx, beginning);
    return { independent, write: () => write().catch((error: unknown) => failed(error)()) };
  } catch (error) {
    return { independent: false, write: failed(error) };
  }
}

export async function beginOrFail(tx: StoreTransaction, beginning: Beginning): Promise<BegunRun> {
  const { write } = await prepareOrFail(tx, beginning);
  return write();
}

export async function failBroken(
  tx: StoreTransaction,
  { claim, lastSeq, decide, runListeners }: Pick<Beginning, 'claim' | 'lastSeq' | 'decide' | 'runListeners'>,
  error: unknown,
): Promise<BegunRun> {
  const state = newRunState();
  const task = await tx.getObjectForUpdate({ kind: 'Task', namespace: claim.namespace, name: claim.name });
  if (task?.uid === claim.key) await endUnfolded(tx, task, { state, now: decide.now });
  const failure = { code: 'internal_error', message: `the engine cannot continue this run: ${String(error)}`, retryable: false };
  const entry = failRun(state, decide.now, { failure, phase: 'Failed' });
  applyEntry(state, entry);
  const settled = { signals: [], entries: [entry], decision: { kind: 'finished' } as const, waitedMs: 0 };
  return recordBeginning(tx, { claim, state, lastSeq, decide, runListeners }, settled);
}

/** A run whose journal is not folded ends: the Task has the number of its attempts, the store its open approvals. */
async function endUnfolded(tx: StoreTransaction, task: StoredObject, { state, now }: { state: RunState; now: number }): Promise<void> {
  state.attempts = statusOf('Task', task).attempts ?? 0;
  await closeApprovalsOf(tx, task, { now, why: 'the task failed before this was decided' });
}

/** Reads only: several runs of one transaction are prepared at once. */
async function prepare(tx: StoreTransaction, beginning: Beginning): Promise<PreparedRun> {
  const { claim, state } = beginning;
  // Locked already here: the write of its status would lock it anyway.
  const [task, signals] = await Promise.all([
    tx.getObjectForUpdate({ kind: 'Task', namespace: claim.namespace, name: claim.name }),
    tx.readSignals(claim.key),
  ]);
  if (!task || task.uid !== claim.key || state.status === 'finished') {
    const drop = async () => {
      await tx.finishWork(claim);
      return nothing(beginning);
    };
    return { independent: true, write: drop };
  }
  if (standingOf(claim.takeovers, beginning.takeoversMax) === 'poisoned') return later(() => giveUp(tx, beginning, task));
  // Word may bring it here before the next attempt is due.
  const isDue = state.status === 'new' || (state.status === 'retrying' && state.nextAttemptAt <= beginning.decide.now);
  const needsStart = isDue && (!state.paused || signals.some(({ type }) => type === RESUME_SIGNAL));
  const context = needsStart ? await beginning.contexts.read(tx, task) : undefined;
  const definitions = needsStart ? withConversation(await loadDefinitions(tx, task, context?.overrides), context) : undefined;
  if (signals.length === 0 && definitions?.kind === 'waiting') return later(() => putOff(tx, beginning, { definitions, task }));
  // Any worker can end a run; other signals move with it, and are read by a worker that can act on them.
  const ends = signals.some(({ type }) => type === CANCEL_SIGNAL);
  const requirements = ends ? undefined : await needsOfAnother(tx, beginning, definitions);
  if (requirements) return later(() => handOver(tx, beginning, requirements));
  const waitedMs = waited(beginning, { task, signals });
  const record = await beginning.runListeners.openRecord(tx, task, claim);
  const outcome = await advance(tx, beginning, { signals, definitions, context });
  // Records and listeners of runs may share what they write.
  const independent = !record && outcome.decision.kind !== 'finished';
  const conversation = context?.restore ? undefined : context?.messages;
  return { independent, write: () => recordBeginning(tx, beginning, { signals, waitedMs, record, conversation, ...outcome }) };
}

const later = (write: PreparedRun['write']): PreparedRun => ({ independent: false, write });

/** Ends a run that keeps killing its workers: nothing of it is judged or sent again. */
async function giveUp(
  tx: StoreTransaction,
  { claim, state, lastSeq, decide, runListeners }: Beginning,
  task: StoredObject,
): Promise<BegunRun> {
  const at = decide.now;
  const key = { kind: 'Task', namespace: claim.namespace, name: claim.name };
  await tx.appendFact(key, timestamp(at), taskFact(state, { kind: 'claimed', claim }));
  if (lastSeq > 0 && state.attempts === 0) await endUnfolded(tx, task, { state, now: at });
  const failure = poisonedFailure(claim.takeovers, claim.from?.owner);
  const failed = failRun(state, at, { failure, phase: 'DeadLetter' });
  const entries = [
    claimEntry(claim, state, { at, definitions: undefined }),
    { ...failed, data: { ...failed.data, ...(claim.from && { lost_by: claim.from.owner }) } },
  ] as Entry[];
  for (const entry of entries) applyEntry(state, entry);
  return recordBeginning(
    tx,
    { claim, state, lastSeq, decide, runListeners },
    { signals: [], entries, decision: { kind: 'finished' }, waitedMs: 0 },
  );
}

const nothing = ({ claim, state }: Beginning): BegunRun => ({ claim, run: undefined, state, entries: [], waitedMs: 0 });

type RecordedStart = Outcome & {
  readonly signals: readonly Signal[];
  readonly waitedMs: number;
  readonly record?: RunRecord | undefined;
  readonly conversation?: readonly ConversationMessage[] | undefined;
};

async function recordBeginning(
  tx: StoreTransaction,
  { claim, state, lastSeq, decide, runListeners }: Pick<Beginning, 'claim' | 'state' | 'lastSeq' | 'decide' | 'runListeners'>,
  { entries, decision, signals, waitedMs, record, conversation }: RecordedStart,
): Promise<BegunRun> {
  const finished = decision.kind === 'finished';
  const inDoubt = claim.takeovers > 0 && !madeProgress(entries);
  const write: RunWrite = {
    claim,
    state,
    lastSeq,
    now: decide.now,
    entries,
    signalIds: signals.map(({ id }) => id),
    change: { kind: finished ? 'finished' : 'claimed', claim },
    proves: claim.takeovers > 0 && !inDoubt,
    record,
  };
  const task = await writeRun(tx, write, runListeners);
  const run = finished ? undefined : { claim, state, lastSeq: lastSeq + entries.length, decision, inDoubt, task, record, conversation };
  return { claim, run, state, entries, waitedMs };
}

/** A tool that an McpServer has still to import only delays the start; the Task says what it waits for. */
async function putOff(
  tx: StoreTransaction,
  beginning: Beginning,
  { definitions, task }: { definitions: Extract<Definitions, { kind: 'waiting' }>; task: StoredObject },
): Promise<BegunRun> {
  const { claim, state, lastSeq, decide } = beginning;
  const { blockedOn } = definitions;
  const until = decide.now + IMPORT_WAIT_MS;
  const change = jsonEquals(statusOf('Task', task).blockedOn, blockedOn)
    ? undefined
    : ({ kind: 'waiting', claim, until, blockedOn } as const);
  const write = { claim, state, lastSeq, now: decide.now, entries: [], signalIds: [], change, release: { notBefore: until } };
  await writeRun(tx, write, beginning.runListeners);
  return nothing(beginning);
}

/** Requirements that this worker does not meet: it must not fail what another one can run. */
async function needsOfAnother(
  tx: StoreTransaction,
  { claim, capabilities, state }: Beginning,
  definitions: Definitions | undefined,
): Promise<WorkRequirements | undefined> {
  // Without the key nobody can prove which decision records are the store's.
  if (!capabilities.secrets && state.approvals.size > 0) return { ...claim.requirements, secrets: true };
  const snapshot = definitions?.kind === 'ready' ? definitions.snapshot : state.attempt?.snapshot;
  if (snapshot === undefined) return undefined;
  if (!capabilities.secrets && (await needsSecrets(tx, snapshot))) return { ...claim.requirements, secrets: true };
  if (capabilities.mcpStdio || !(await needsPrograms(tx, snapshot))) return undefined;
  // Without such a worker the run continues here, up to a call of a program.
  const requirements = { ...claim.requirements, mcpStdio: true };
  return (await isMetByWorker(tx, requirements)) ? requirements : undefined;
}

async function isMetByWorker(reader: StoreReader, requirements: WorkRequirements): Promise<boolean> {
  const fields = [{ path: 'status.phase', op: 'eq', value: WORKER_READY }] as const;
  for await (const worker of eachObject(reader, { kind: 'Worker', fields })) if (isMet(requirements, offerOf(worker))) return true;
  return false;
}

/** Gives the Task back unopened: only a worker that meets the requirements will take it. Nothing happened, so nothing is recorded. */
async function handOver(tx: StoreTransaction, beginning: Beginning, requirements: WorkRequirements): Promise<BegunRun> {
  await tx.releaseWork(beginning.claim, { notBefore: beginning.decide.now, requirements });
  return nothing(beginning);
}

/** Milliseconds since the item was created, was due, was released or got a signal, the latest of these. The time since the end of a lease is no longer known and counts as zero. */
function waited({ claim, decide, lastEntryAt }: Beginning, { task, signals }: { task: StoredObject; signals: readonly Signal[] }): number {
  if (claim.takeover) return 0;
  const called = signals.length > 0 ? Math.min(...signals.map(({ timestamp }) => Date.parse(timestamp))) : 0;
  const since = Math.max(Date.parse(task.createdAt), claim.notBefore, lastEntryAt, called);
  return Math.max(0, decide.now - since);
}

interface StartInput {
  readonly signals: readonly Signal[];
  readonly definitions: Definitions | undefined;
  readonly context: RunContext | undefined;
}

/** The entries of a claim: its holder, the events from outside, and their consequences. */
async function advance(
  tx: StoreTransaction,
  { claim, state, decide, judge }: Beginning,
  { signals, definitions, context }: StartInput,
): Promise<Outcome> {
  const at = decide.now;
  const given: Entry[] = [];
  const add = (entries: readonly Entry[]) => {
    for (const entry of entries) applyEntry(state, entry);
    given.push(...entries);
  };
  add([claimEntry(claim, state, { at, definitions })]);
  given.push(...foldGiven(state, signals, at));
  const starts = !state.cancel && !state.paused;
  if (definitions?.kind === 'ready' && starts) {
    const attempt = state.attempts + 1;
    const { snapshot } = definitions;
    const { restore } = context ?? {};
    if (restore && state.status === 'new') add([restoredEntry(restore, { snapshot, at, overrides: context?.overrides ?? {} })]);
    else add([{ type: 'run.started', at, data: { attempt, snapshot, hand_overs: entryHandOvers(snapshot, attempt) } }]);
  }
  if (definitions?.kind === 'invalid' && !state.paused) {
    const failure = { code: 'validation_failed', message: listed(definitions.problems), retryable: false };
    add([failRun(state, at, { failure, phase: 'Failed' })]);
  }
  const { entries, decision } = await settleJudged(state, decide, { judge, reader: tx, inTransaction: true });
  return { entries: [...given, ...entries], decision };
}

function claimEntry(
  { owner: worker, fence, takeover, from, takeovers }: Claim,
  state: RunState,
  { at, definitions }: Pick<StartInput, 'definitions'> & { at: number },
): Entry {
  const snapshot = definitions?.kind === 'ready' ? definitions.snapshot : state.attempt?.snapshot;
  const format = snapshot?.task.trial ? JOURNAL_FORMAT : COMMON_JOURNAL_FORMAT;
  const attempt = state.attempts;
  const former = from && { from: from.owner, ...(from.ended && { ended: true as const }) };
  return {
    type: 'run.claimed',
    at,
    data: { worker, fence, takeover, ...former, ...(takeovers > 0 && { takeovers }), attempt, format },
  };
}

/** Every problem in one sentence each, up to a number that still fits a status. */
function listed(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_SHOWN_MAX;
  return [...problems.slice(0, PROBLEMS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
