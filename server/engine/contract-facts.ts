// What the event log says of contracts: warnings and violations, beside the trace. Source: SPEC "Approval-related and other emitted records".
import type { Fact } from '../store/store.ts';
import type { Entry } from './core/entries.ts';

/** One fact for each entry that found a contract unkept, in their order. */
export function contractFacts(entries: readonly Entry[]): Fact[] {
  return entries.flatMap((entry): Fact[] => {
    if (entry.type !== 'contract.warned' && entry.type !== 'contract.violated') return [];
    const { attempt, step, agent, branch_id, message } = entry.data;
    const [action, mode] = entry.type === 'contract.warned' ? ['contract_warning', {}] : ['contract_violation', { mode: entry.data.mode }];
    return [{ type: `task.${action}`, source: 'engine', action, message, data: { attempt, step, agent, branch_id, ...mode } }];
  });
}
