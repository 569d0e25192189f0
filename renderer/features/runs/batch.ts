// One action on several runs: which of them it can be taken on, and how far it has come. Pure.
import { mayAct } from '../../kinds/kind-table.ts';
import type { ShownError } from '../../ui/shown-error.ts';
import { isTemplate, phaseOf, runKey, TASK, type Run } from './run.ts';

export type BatchAction = 'cancel' | 'retry';

export interface BatchPlan {
  readonly able: readonly Run[];
  readonly left: readonly Run[];
}

export function planBatch(action: BatchAction, runs: readonly Run[]): BatchPlan {
  const able = runs.filter((run) => canAct(action, run));
  return { able, left: runs.filter((run) => !able.includes(run)) };
}

export function canAct(action: BatchAction, run: Run): boolean {
  return !isTemplate(run) && mayAct(TASK, action, phaseOf(run));
}

const runsOf = (count: number) => (count === 1 ? '1 run' : `${count} runs`);

export interface BatchWords {
  readonly title: string;
  readonly consequence: string;
  readonly confirm: string;
}

/** What is asked before anything is done. */
export function batchWords(action: BatchAction, { able, left }: BatchPlan): BatchWords {
  const count = able.length;
  const out = left.length === 0 ? '' : ` ${left.length === 1 ? 'One' : left.length} of those selected ${leftOut(action, left.length)}.`;
  if (action === 'cancel') {
    const running = able.filter((run) => phaseOf(run) === 'Running').length;
    const calls =
      running === 0 ? '' : ` Calls that are under way in ${runsOf(running)} are aborted; what a tool has already done stays done.`;
    return {
      title: `Cancel ${runsOf(count)}?`,
      consequence: `Cancelling is final: ${count === 1 ? 'the run ends' : 'they end'} as Failed, and pending approvals expire.${calls}${out}`,
      confirm: `Cancel ${runsOf(count)}`,
    };
  }
  return {
    title: `Retry ${runsOf(count)}?`,
    consequence: `${count === 1 ? 'A new run is' : `${count} new runs are`} made with the same input and the present definitions of agents and tools. They cost tokens, and tools are called again.${out}`,
    confirm: `Retry ${runsOf(count)}`,
  };
}

function leftOut(action: BatchAction, count: number): string {
  const is = count === 1 ? 'is' : 'are';
  return action === 'cancel' ? `${is} left out: it has ended or never runs` : `${is} left out: it has not ended or never runs`;
}

export type ItemState =
  | { readonly state: 'queued' | 'running' }
  /** `made` is the run that a retry gave. */
  | { readonly state: 'done'; readonly phase: string; readonly made?: { readonly namespace: string; readonly name: string } }
  | { readonly state: 'failed'; readonly error: ShownError }
  | { readonly state: 'skipped' };

export type BatchProgress = ReadonlyMap<string, ItemState>;

export function queuedAll(runs: readonly Run[]): BatchProgress {
  return new Map(runs.map((run) => [runKey(run), { state: 'queued' }]));
}

export function tally(progress: BatchProgress): { readonly done: number; readonly failed: number; readonly open: number } {
  const states = [...progress.values()].map(({ state }) => state);
  const count = (...wanted: readonly ItemState['state'][]) => states.filter((state) => wanted.includes(state)).length;
  return { done: count('done'), failed: count('failed'), open: count('queued', 'running') };
}
