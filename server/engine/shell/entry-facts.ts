// Events of single journal entries, beside the trace: broken contracts and runs that were given up.
import type { Fact } from '../../store/store.ts';
import type { DataOf, Entry } from '../core/entries.ts';

/** The facts of these entries, in their order. */
export function entryFacts(entries: readonly Entry[]): Fact[] {
  return entries.flatMap((entry): Fact[] => {
    if (entry.type === 'contract.warned') return [contractFact('contract_warning', entry.data, {})];
    if (entry.type === 'contract.violated') return [contractFact('contract_violation', entry.data, { mode: entry.data.mode })];
    return entry.type === 'run.failed' && entry.data.code === 'poisoned' ? [poisonedFact(entry.data)] : [];
  });
}

type Contract = DataOf<'contract.warned'> | DataOf<'contract.violated'>;

function contractFact(
  action: string,
  { attempt, step, agent, branch_id, message }: Contract,
  more: Readonly<Record<string, unknown>>,
): Fact {
  return { type: `task.${action}`, source: 'engine', action, message, data: { attempt, step, agent, branch_id, ...more } };
}

function poisonedFact({ attempt, message, lost_by }: DataOf<'run.failed'>): Fact {
  return {
    type: 'task.poisoned',
    source: 'engine',
    action: 'poisoned',
    message,
    data: { attempt, ...(lost_by !== undefined && { lost_by }) },
  };
}
