// Reads what an explanation of a Task needs: its place in the queue, its run, the workers, what it waits for.
import type { Resource } from '@svc/shared/resource';
import type { Clock } from '../../clock.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store, StoredObject, StoreReader, WorkItem } from '../../store/store.ts';
import type { RunState } from '../core/state.ts';
import { explainTask } from './explain.ts';
import type { Fleet } from './explain-placement.ts';
import type { Reason } from './reason.ts';
import { blockedOnOf } from '../definitions/load-definitions.ts';
import type { RunFolds } from '../views/run-folds.ts';
import type { ToolCheck } from '../ports.ts';
import { CANCEL_SIGNAL } from '../shell/signals.ts';
import { TASK_QUEUE } from '../task-queue.ts';

const PAGE = 500;
/** Tasks ahead in the queue that are counted. */
const AHEAD_MAX = 100;
/** Items of the queue that are examined for Tasks that workers hold. */
const HELD_MAX = 1_000;

export interface ExplanationSource {
  readonly store: Store;
  readonly clock: Clock;
  readonly folds: RunFolds;
  readonly canRun: ToolCheck;
}

export async function readExplanation({ store, clock, folds, canRun }: ExplanationSource, task: Resource): Promise<Reason[]> {
  const item = await store.getWorkItem(TASK_QUEUE, task.metadata.uid);
  const now = clock.now();
  const blockedOn = blockedOnOf(task);
  const key = blockedOn && { kind: blockedOn.kind, namespace: task.metadata.namespace, name: blockedOn.name };
  const dependency = key && (await store.getObject(key));
  const fleet = item ? await readFleet(store, item, now) : NO_FLEET;
  const tools = item ? await unrunnable(store, canRun, (await folds.read(task.metadata.uid)).state()) : [];
  const cancel =
    item?.owner === undefined ? undefined : (await store.readSignals(task.metadata.uid)).find(({ type }) => type === CANCEL_SIGNAL);
  // Read last: nothing may wait between a fold and its use.
  const state = (await folds.read(task.metadata.uid)).state();
  const reasons = explainTask({ task, item, state, now, dependency, fleet, cancel });
  const said = new Set(reasons.map(({ object }) => JSON.stringify(object)));
  return [...reasons, ...tools.filter(({ object }) => !said.has(JSON.stringify(object)))];
}

/** Tools of the run whose calls would fail as things are. */
async function unrunnable(store: StoreReader, canRun: ToolCheck, { attempt, end }: RunState): Promise<Reason[]> {
  if (!attempt || end) return [];
  const reasons: Reason[] = [];
  for (const { namespace, name, spec } of Object.values(attempt.snapshot.tools)) {
    const problem = await canRun({ namespace, name, spec }, store);
    if (problem) reasons.push({ code: problem.code, message: problem.message, object: { kind: 'Tool', namespace, name } });
  }
  return reasons;
}

const NO_FLEET: Fleet = { now: 0, workers: [], held: 0, ahead: 0, aheadMax: AHEAD_MAX };

async function readFleet(store: StoreReader, item: WorkItem, now: number): Promise<Fleet> {
  const workers: StoredObject[] = [];
  for (let after: ListCursor | undefined; ;) {
    const page = await store.listObjects({ kind: 'Worker', limit: PAGE, ...(after && { after }) });
    workers.push(...page);
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) break;
  }
  const free = item.owner === undefined && !item.parked && item.notBefore <= now;
  const first = free ? await store.listReadyWork(TASK_QUEUE, item.requirements, { limit: AHEAD_MAX }) : [];
  const place = first.findIndex(({ key }) => key === item.key);
  const held = free ? await store.countHeldWork(TASK_QUEUE, HELD_MAX) : 0;
  return { now, workers, held, ahead: place < 0 ? first.length : place, aheadMax: AHEAD_MAX };
}
