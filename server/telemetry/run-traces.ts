// Sends the spans of runs as their ends are recorded: the worker that records an end sends its span.
import type { RunObserver } from '../engine/observer.ts';
import { createRunMemories, forget, remember } from './run-memory.ts';
import { spansOf, type SpanDraft } from './run-spans.ts';
import { isSampled, rootSpanId, traceIdOf } from './span-ids.ts';

export interface RunTracesOptions {
  readonly send: (draft: SpanDraft) => void;
  /** Share of the runs that are traced, 0 to 1; a run is traced by all workers or by none. */
  readonly sampledShare: number;
}

export function createRunTraces({ send, sampledShare }: RunTracesOptions): RunObserver {
  const memoryOf = createRunMemories();
  return {
    claimed: () => undefined,
    leaseLost: () => undefined,
    recorded(claim, entries, { state }) {
      const traceId = traceIdOf(claim.key);
      if (!isSampled(traceId, sampledShare)) return;
      const memory = memoryOf(state, entries);
      const context = { traceId, rootId: rootSpanId(claim.key), claim, state, memory };
      for (const entry of entries) {
        remember(memory, entry);
        for (const draft of spansOf(entry, context)) send(draft);
        forget(memory, entry);
      }
    },
  };
}
