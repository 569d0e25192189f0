// Which types of trace entries and of a run's history are errors or warnings. A table, since lines carry no level of their own.
import type { HistoryEntry, TraceEntry } from '@svc/shared/kinds/task/records';

const LEVELS: readonly (readonly [TraceEntry['type'] | HistoryEntry['type'], 'error' | 'warn'])[] = [
  ['agent_error', 'error'],
  ['agent_message_deadletter', 'error'],
  ['agent_message_non_retryable', 'error'],
  ['model_error', 'error'],
  ['model_resolution_error', 'error'],
  ['tool_error', 'error'],
  ['tool_permission_denied', 'error'],
  ['policy_violation', 'error'],
  ['token_budget_exceeded', 'error'],
  ['agent_contract_violation', 'error'],
  ['failed', 'error'],
  ['deadletter', 'error'],
  ['agent_message_retry_scheduled', 'warn'],
  ['contract_warning', 'warn'],
  ['task_takeover', 'warn'],
  ['call_resent', 'warn'],
  ['takeover', 'warn'],
  ['retry_scheduled', 'warn'],
  ['cancelled', 'warn'],
];

export const TRACE_ERROR_TYPES: ReadonlyMap<string, 'error' | 'warn'> = new Map(LEVELS);
