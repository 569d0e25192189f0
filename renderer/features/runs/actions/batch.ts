// One action on several runs: those it applies to, and the confirmation before. Pure.
import { mayAct } from '../../../kinds/kind-table.ts';
import { formatNumber } from '../../../ui/status/format.ts';
import { isTemplate, phaseOf, TASK, type Run } from '../model/run.ts';

export type BatchAction = 'cancel' | 'retry';

export interface BatchPlan {
  readonly able: readonly Run[];
  readonly left: readonly Run[];
}

export function planBatch(action: BatchAction, runs: readonly Run[]): BatchPlan {
  return { able: runs.filter((run) => canAct(action, run)), left: runs.filter((run) => !canAct(action, run)) };
}

export function canAct(action: BatchAction, run: Run): boolean {
  return !isTemplate(run) && mayAct(TASK, action, phaseOf(run));
}

const runsOf = (count: number) => (count === 1 ? '1 run' : `${formatNumber(count)} runs`);

export interface BatchText {
  readonly title: string;
  readonly consequence: string;
  readonly confirm: string;
}

/** Text of the confirmation before a batch action. */
export function batchText(action: BatchAction, { able, left }: BatchPlan): BatchText {
  const count = able.length;
  const out =
    left.length === 0 ? '' : ` ${left.length === 1 ? 'One' : formatNumber(left.length)} of those selected ${leftOut(action, left.length)}.`;
  if (action === 'cancel') {
    const running = able.filter((run) => phaseOf(run) === 'Running').length;
    const calls = running === 0 ? '' : ` Calls in flight in ${runsOf(running)} are aborted; completed tool calls are not undone.`;
    return {
      title: `Cancel ${runsOf(count)}?`,
      consequence: `Cancelling is final: ${count === 1 ? 'the run ends' : 'they end'} as Cancelled, and pending approvals expire.${calls}${out}`,
      confirm: `Cancel ${runsOf(count)}`,
    };
  }
  return {
    title: `Retry ${runsOf(count)}?`,
    consequence: `${count === 1 ? 'A new run is' : `${formatNumber(count)} new runs are`} started with the same input and the current definitions of agents and tools. They cost tokens, and tools are called again.${out}`,
    confirm: `Retry ${runsOf(count)}`,
  };
}

function leftOut(action: BatchAction, count: number): string {
  const not = action === 'cancel' ? '' : ' not';
  return count === 1 ? `is left out: it has${not} ended or never runs` : `are left out: they have${not} ended or never run`;
}
