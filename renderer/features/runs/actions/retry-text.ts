// Question before a retry of a run that succeeded: its tools may act a second time. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { phaseOf, type Run } from '../model/run.ts';

const NAMED_MAX = 3;

/** Consequence to confirm; undefined for a run that ended otherwise or called no tool. `entries` is undefined while the trace is unknown. */
export function retryConsequence(run: Run, entries: readonly TraceEntry[] | undefined): string | undefined {
  if (phaseOf(run) !== 'Succeeded') return undefined;
  const tools = entries && calledTools(entries);
  if (tools?.length === 0) return undefined;
  return `A new run starts with the same input and the current definitions, and may call ${tools ? named(tools) : 'its tools'} again.`;
}

function calledTools(entries: readonly TraceEntry[]): string[] {
  return [...new Set(entries.flatMap(({ type, tool }) => (type === 'tool_call' && tool !== undefined ? [tool] : [])))];
}

function named(tools: readonly string[]): string {
  if (tools.length > NAMED_MAX) return `${tools.slice(0, NAMED_MAX).join(', ')} and ${tools.length - NAMED_MAX} more`;
  return new Intl.ListFormat('en-GB').format(tools);
}
