// `/logs`: the trace and the history as lines for people.
import type { Entry } from '../core/entries.ts';
import { createHistoryView, type HistoryPlace } from './history.ts';
import { traceOf, type TraceEntry } from './trace.ts';

/** Returns the lines of each entry in turn, from the start of a journal or a place in it; remembers what it needs to name the worker. */
export function createLogLines(from?: HistoryPlace): (entry: Entry) => { readonly text: string; readonly agent: string | undefined }[] {
  const history = createHistoryView(from);
  return (entry) => {
    const before = history.items.length;
    history.add(entry);
    const lives = history.items.splice(before).map(({ timestamp, type, message }) => ({
      text: `${timestamp} ${type}: ${shown(message)}`,
      agent: undefined,
    }));
    const steps = traceOf(entry).map((trace) => ({
      text: traceLine(trace),
      agent: typeof trace['agent'] === 'string' ? trace['agent'] : undefined,
    }));
    return [...lives, ...steps];
  };
}

function traceLine(trace: TraceEntry): string {
  const { timestamp, step_id, type, agent, tool, message, error_code, latency_ms } = trace;
  const parts = [
    timestamp,
    step_id,
    type,
    agent && `agent=${shown(agent)}`,
    tool && `tool=${shown(tool)}`,
    error_code && `code=${shown(error_code)}`,
    typeof latency_ms === 'number' && `${latency_ms}ms`,
    message,
  ];
  return parts
    .filter((part) => part !== undefined && part !== false && part !== '')
    .map(shown)
    .join(' ');
}

/** A message may hold line breaks; a log line does not. */
function shown(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\n', ' ');
}
