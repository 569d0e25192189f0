// Handler of an experiment's work items: records runs that have ended, begins further ones, carries a cancel out. It runs in the transaction that
// ends the item. Each run begins once, therefore, on any number of servers and across restarts.
import { ServiceError } from '@svc/shared/errors';
import { jsonEquals } from '@svc/shared/json';
import { runsOf } from '@svc/shared/kinds/experiment/rules';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { describeKey, parseRef } from '@svc/shared/resource';
import { timestamp, type Clock } from '../clock.ts';
import { cancelWithin } from '../engine/runs/cancel.ts';
import type { RunListeners } from '../engine/run-listeners.ts';
import { replaceStatus } from '../registry/own-writes.ts';
import { creatorsOf, partIdentity, partName } from '../registry/principal.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import { recordWritten, writtenBy } from '../registry/written.ts';
import type { StoredObject, StoreTransaction, WorkItem } from '../store/store.ts';
import { freeTaskName } from '../triggers/create-run.ts';
import { placeOf, resultOf, taskName, taskOf } from './cells.ts';
import { budgetStop, changeVariant, isOver, statusFrom, withResult } from './metrics.ts';
import { EXPERIMENT, experimentRuns, experimentStates, putCell, type ActiveRun, type CellRecord, type ExperimentState } from './records.ts';

export interface AdvanceDeps {
  readonly clock: Clock;
  readonly registry: () => Pick<Registry, 'within'>;
  readonly runListeners: () => RunListeners;
}

const CONTEXT: RequestContext = { identity: partIdentity('experiments'), requestId: 'experiments' };
const ENDED: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);
/** Runs that one transaction begins: Tasks that are refused take no place, so parallelism alone does not bound them. */
const BEGUN_AT_ONCE = 50;

interface Turn {
  readonly deps: AdvanceDeps;
  readonly tx: StoreTransaction;
  readonly experiment: StoredObject;
  readonly now: number;
}

export async function advanceExperiment(
  deps: AdvanceDeps,
  tx: StoreTransaction,
  { namespace, name }: WorkItem,
): Promise<{ readonly againAt: number } | undefined> {
  const experiment = await tx.getObjectForUpdate({ kind: EXPERIMENT, namespace, name });
  const stored = experiment && (await experimentStates.get(tx, experiment.uid));
  if (!stored) return undefined;
  const turn: Turn = { deps, tx, experiment, now: deps.clock.now() };
  const spec = specOf(EXPERIMENT, experiment);
  if (isOver(spec, stored)) return undefined;
  const cancelled = await carryOutCancel(turn, stored);
  const settled = await settleRuns(turn, cancelled);
  const state = await beginRuns(turn, settled);
  await writeProgress(turn, state);
  const more = !state.stop && state.begun < runsOf(spec) && state.active.length < spec.parallelism;
  return more ? { againAt: turn.now } : undefined;
}

/** Stores the state, and the status that follows from it. The caller holds the row of the experiment. */
export async function writeProgress({ tx, experiment, now }: Omit<Turn, 'deps'>, state: ExperimentState): Promise<void> {
  await experimentStates.put(tx, experiment.uid, state);
  const before = statusOf(EXPERIMENT, experiment);
  const status = { ...statusFrom(specOf(EXPERIMENT, experiment), state, { before, now: timestamp(now) }) };
  if (!jsonEquals(status, experiment.status)) await replaceStatus(tx, experiment, { status, now, by: partName('experiments') });
}

/** Cancels the active runs of a cancelled experiment, once. A run that a worker holds ends a little later. */
async function carryOutCancel(turn: Turn, state: ExperimentState): Promise<ExperimentState> {
  const { stop } = state;
  if (stop?.reason !== 'cancelled' || stop.carriedOut) return state;
  await cancelRuns(turn, { active: state.active, by: stop.by ?? partName('experiments'), reason: stop.message });
  return { ...state, stop: { ...stop, carriedOut: true } };
}

export async function cancelRuns(
  { deps, tx, experiment: { namespace }, now }: Turn,
  { active, by, reason }: { readonly active: readonly ActiveRun[]; readonly by: string; readonly reason: string },
): Promise<void> {
  for (const { name, uid } of active) {
    const task = await tx.getObject({ kind: 'Task', namespace, name });
    if (task?.uid !== uid || ENDED.has(statusOf('Task', task).phase)) continue;
    recordWritten(tx, { action: 'task.cancel', by: writtenBy('experiments'), object: task });
    await cancelWithin(tx, { task, now, runListeners: deps.runListeners() }, { by, reason });
  }
}

/** Records the results of the active runs that have ended. */
async function settleRuns({ tx, experiment, now }: Turn, state: ExperimentState): Promise<ExperimentState> {
  const { uid, namespace } = experiment;
  const spec = specOf(EXPERIMENT, experiment);
  const active: ActiveRun[] = [];
  let settled = state;
  for (const run of state.active) {
    const task = await tx.getObject({ kind: 'Task', namespace, name: run.name });
    const there = task?.uid === run.uid ? task : undefined;
    if (there && !ENDED.has(statusOf('Task', there).phase)) {
      active.push(run);
      continue;
    }
    const cell: CellRecord = there ? resultOf(there) : { task: run, outcome: 'Deleted', completedAt: timestamp(now) };
    await putCell(tx, uid, { run: run.run, cell });
    settled = changeVariant(settled, placeOf(spec, run.run).variant, (tally) => withResult(tally, cell));
  }
  return { ...settled, active };
}

/** Begins runs until as many as may are active. */
async function beginRuns(turn: Turn, settled: ExperimentState): Promise<ExperimentState> {
  const { tx, experiment } = turn;
  const spec = specOf(EXPERIMENT, experiment);
  const { budget } = spec;
  let state = settled;
  for (let count = 0; count < BEGUN_AT_ONCE; count += 1) {
    if (state.stop || state.begun >= runsOf(spec) || state.active.length >= spec.parallelism) return state;
    const stop = (budget && budgetStop(spec, state)) ?? (count === 0 ? await missingSystem(tx, experiment) : undefined);
    state = stop ? { ...state, stop } : await beginRun(turn, state);
  }
  return state;
}

async function missingSystem(tx: StoreTransaction, experiment: StoredObject): Promise<ExperimentState['stop']> {
  const key = { kind: 'AgentSystem', ...parseRef(specOf(EXPERIMENT, experiment).system, experiment.namespace) };
  if (await tx.getObject(key)) return undefined;
  return { reason: 'cannot_run', message: `${describeKey(key)} no longer exists` };
}

async function beginRun(turn: Turn, state: ExperimentState): Promise<ExperimentState> {
  const { tx, experiment, now } = turn;
  const run = state.begun + 1;
  const { variant } = placeOf(specOf(EXPERIMENT, experiment), run);
  const begun = changeVariant({ ...state, begun: run, startedAt: state.startedAt ?? timestamp(now) }, variant, (tally) => ({
    ...tally,
    begun: tally.begun + 1,
  }));
  const created = await createTask(turn, run);
  if (typeof created === 'string') {
    const cell: CellRecord = { outcome: 'Failed', error: `the Task was refused: ${created}`, completedAt: timestamp(now) };
    await putCell(tx, experiment.uid, { run, cell });
    return changeVariant(begun, variant, (tally) => withResult(tally, cell));
  }
  await putCell(tx, experiment.uid, { run, cell: { task: created } });
  await experimentRuns.put(tx, created.uid, { experiment: experiment.name });
  return { ...begun, active: [...begun.active, { run, ...created }] };
}

/** The Task, or why it was refused. */
async function createTask({ deps, tx, experiment }: Turn, run: number): Promise<{ name: string; uid: string } | string> {
  const { namespace } = experiment;
  const body = taskOf(experiment, run);
  const name = await freeTaskName(tx, namespace, taskName(experiment.name, run));
  const write = {
    kind: 'Task',
    body: { ...body, metadata: { ...body.metadata, name } },
    namespace,
    ifNoneMatch: '*',
    alsoBy: creatorsOf(experiment),
  };
  try {
    const { metadata } = (await deps.registry().within(tx).post(CONTEXT, write)).resource;
    return { name: metadata.name, uid: metadata.uid };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid') return error.message;
    throw error;
  }
}
