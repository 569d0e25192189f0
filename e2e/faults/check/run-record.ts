// One run's journal as the checks read it: its claims in order, and each call with its request and its results.
import type { JournalEntry } from '../../../server/store/store.ts';
import { callNumberOf } from '../world/ledger.ts';

export interface ClaimRecord {
  readonly worker: string;
  readonly fence: number;
  readonly takeover: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly seq: number;
}

interface CallResult {
  readonly seq: number;
  readonly at: number;
  /** The attempt ended while the call was in flight, so its outcome is unknown. */
  readonly isAborted: boolean;
  /** The ledger's number of the call it came from; absent for failures. */
  readonly callNumber: number | undefined;
  /** Holder of the run when it was recorded. */
  readonly claim: ClaimRecord | undefined;
}

export interface CallRecord {
  readonly requestId: string;
  readonly requestedAt: number;
  readonly results: CallResult[];
}

export interface RunRecord {
  readonly claims: readonly ClaimRecord[];
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** Ends of the run; there must be one, and it must be the last entry. */
  readonly ends: readonly JournalEntry[];
  readonly starts: number;
}

const END_TYPES = new Set(['run.completed', 'run.failed']);
const RESULT_TYPES = new Set(['model.completed', 'model.failed', 'tool.completed', 'tool.failed']);

const isAborted = ({ code, reason }: JournalEntry['data']): boolean => code === 'canceled' && reason === 'unknown_outcome';

export function readRun(journal: readonly JournalEntry[]): RunRecord {
  const claims: ClaimRecord[] = [];
  const calls = new Map<string, CallRecord>();
  const ends: JournalEntry[] = [];
  let starts = 0;
  for (const { seq, type, timestamp, data } of journal) {
    const at = Date.parse(timestamp);
    const requestId = typeof data['request_id'] === 'string' ? data['request_id'] : undefined;
    if (type === 'run.claimed') {
      const { worker, fence, takeover } = data as { worker: string; fence: number; takeover: boolean };
      claims.push({ worker, fence, takeover, at, seq });
    }
    if (type === 'run.started') starts += 1;
    if (END_TYPES.has(type)) ends.push({ seq, type, timestamp, data });
    if (requestId === undefined) continue;
    if (type.endsWith('.requested')) calls.set(requestId, calls.get(requestId) ?? { requestId, requestedAt: at, results: [] });
    if (RESULT_TYPES.has(type)) {
      const call = calls.get(requestId) ?? { requestId, requestedAt: Infinity, results: [] };
      call.results.push({ seq, at, isAborted: isAborted(data), callNumber: callNumberOf(data), claim: claims.at(-1) });
      calls.set(requestId, call);
    }
  }
  return { claims, calls, ends, starts };
}
