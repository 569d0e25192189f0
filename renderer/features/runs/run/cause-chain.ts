// Chain of errors from the trace of a failed run. Pure.
import type { TraceEntry } from '@svc/shared/kinds/task/records';

export interface CauseLink {
  /** The entry's place in the trace. */
  readonly id: number;
  /** Agent and action that failed: "flaky asks its model". */
  readonly where: string;
  /** Title of a failed call; undefined for other causes. */
  readonly title: string | undefined;
  readonly code: string;
  readonly message: string;
}

/** These repeat an adjacent error. */
const ECHOES: ReadonlySet<string> = new Set([
  'agent_message_retry_scheduled',
  'agent_message_deadletter',
  'agent_message_non_retryable',
  'task_summary',
]);

function locationOf({ type, agent, tool, attempt }: TraceEntry): string {
  const who = agent ?? 'the run';
  const tries = attempt !== undefined && attempt > 1 ? `, attempt ${attempt}` : '';
  if (tool !== undefined) return `${who} called ${tool}${tries}`;
  if (type === 'model_error' || type === 'model_resolution_error') return `${who} called its model${tries}`;
  if (type === 'agent_message_join_wait') return `the join before ${who}${tries}`;
  return `${who}${tries}`;
}

function titleOf({ type, agent, tool }: TraceEntry): string | undefined {
  if (tool !== undefined) return `Call of ${tool} failed`;
  if (type === 'model_error') return `Model call of ${agent ?? 'an agent'} failed`;
  return undefined;
}

const CAUSES_MAX = 4;

/** Errors of the last attempt, oldest first; an agent's error that only repeats its call's is left out. */
export function causeChain(entries: readonly TraceEntry[]): CauseLink[] {
  const last = entries.findLast(({ attempt }) => attempt !== undefined)?.attempt;
  const chain: CauseLink[] = [];
  entries.forEach((entry, id) => {
    const code = entry.error_code;
    if (code === undefined || entry.attempt !== last || ECHOES.has(entry.type)) return;
    const before = chain.at(-1);
    const message = entry.message ?? '';
    if (before?.message === message && before.code === code) return;
    chain.push({ id, where: locationOf(entry), title: titleOf(entry), code, message });
  });
  return chain.slice(-CAUSES_MAX);
}
