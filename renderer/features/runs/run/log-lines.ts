// Lines of a run's log as the server writes them, `<RFC 3339> <step> <type> …`: their structure, and the search. Pure.
import type { HistoryEntry, TraceEntry } from '@svc/shared/kinds/task/records';

type LogLevel = 'error' | 'warn';

export interface LogLine {
  readonly text: string;
  /** End of the time stamp. */
  readonly bodyAt: number;
  readonly at: string;
  /** By the type that the engine recorded; undefined where a line has none. Never guessed from text. */
  readonly level: LogLevel | undefined;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z) /;
const TYPED = /^a\d{3,}\.s\d{4,} ([a-z_]+)(?: |$)/;
const LIFE = /^([a-z_]+): /;

export function readLine(text: string): LogLine {
  const at = MOMENT.exec(text)?.[1] ?? '';
  const bodyAt = at === '' ? 0 : at.length + 1;
  const body = text.slice(bodyAt, bodyAt + 200);
  const type = TYPED.exec(body)?.[1] ?? LIFE.exec(body)?.[1];
  return { text, bodyAt, at, level: type === undefined ? undefined : TRACE_ERROR_TYPES.get(type) };
}

/** Indexes of the lines that match. */
export function matching(lines: readonly LogLine[], test: ((text: string) => boolean) | undefined): number[] {
  if (!test) return [];
  return lines.flatMap(({ text }, index) => (test(text) ? [index] : []));
}

/** Test for a literal text, ignoring case. */
export function textTest(wanted: string): ((text: string) => boolean) | undefined {
  if (wanted === '') return undefined;
  const lower = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(lower);
}

/** Which types of trace entries and of a run's history are errors or warnings. A table, since lines carry no level of their own. */
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

const TRACE_ERROR_TYPES: ReadonlyMap<string, 'error' | 'warn'> = new Map(LEVELS);
