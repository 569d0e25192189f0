// Invariants of calls: journals held against the ledger, which no fault can touch.
import type { LedgerCall } from '../world/ledger.ts';
import type { Evidence, Standstill, Violation } from './evidence.ts';
import { readRun, type CallRecord, type RunRecord } from './run-record.ts';

interface TaskCalls {
  readonly task: string;
  readonly run: RunRecord;
  /** By request id, in order of arrival. */
  readonly arrived: ReadonlyMap<string, readonly LedgerCall[]>;
}

/** A packet that left the program before it was stopped, or right after it resumed, cannot be recalled. */
const FIRST_BREATH_MS = 300;

function byTask(evidence: Evidence): TaskCalls[] {
  const arrived = new Map<string, Map<string, LedgerCall[]>>();
  for (const call of evidence.calls) {
    const ofTask = arrived.get(call.task) ?? new Map<string, LedgerCall[]>();
    ofTask.set(call.requestId, [...(ofTask.get(call.requestId) ?? []), call]);
    arrived.set(call.task, ofTask);
  }
  return evidence.tasks.map(({ name, uid }) => ({
    task: name,
    run: readRun(evidence.journals.get(uid) ?? []),
    arrived: arrived.get(name) ?? new Map<string, LedgerCall[]>(),
  }));
}

export function oneResultPerCall(evidence: Evidence): Violation[] {
  const invariant = 'a call has at most one recorded result';
  return byTask(evidence).flatMap(({ task, run }) =>
    [...run.calls.values()]
      .filter(({ results }) => results.length > 1)
      .map(({ requestId, results }) => ({
        invariant,
        task,
        detail: `${requestId} has results in entries ${results.map(({ seq }) => seq).join(', ')}`,
      })),
  );
}

/** A request is recorded before it is sent: every call that arrived had been recorded as requested. */
export function recordedBeforeSent(evidence: Evidence): Violation[] {
  const invariant = 'a call is recorded before it is made';
  const known = new Set(evidence.tasks.map(({ name }) => name));
  const strangers = evidence.calls
    .filter(({ task }) => !known.has(task))
    .map(({ task, requestId, number }) => ({ invariant, task, detail: `call ${number} (${requestId}) belongs to no stored task` }));
  const early = byTask(evidence).flatMap(({ task, run, arrived }) =>
    [...arrived].flatMap(([requestId, calls]): Violation[] => {
      const record = run.calls.get(requestId);
      const [first] = calls;
      if (!record) return [{ invariant, task, detail: `${requestId} arrived ${calls.length} times and is not in the journal` }];
      return first && first.arrivedAt < record.requestedAt
        ? [{ invariant, task, detail: `${requestId} arrived ${record.requestedAt - first.arrivedAt} ms before its entry` }]
        : [];
    }),
  );
  return [...strangers, ...early];
}

/** A call of a stopped worker, sent as it resumed. The receiver recognises it by its request id, and its result is dropped. */
const lateBreath = ({ arrivedAt }: LedgerCall, standstills: readonly Standstill[]): boolean =>
  standstills.some(({ until }) => arrivedAt >= until && arrivedAt <= until + FIRST_BREATH_MS);

/** An aborted call may arrive after its record; `onceForEachClaim` holds for it as well. */
export function recordedIsNeverRepeated(evidence: Evidence): Violation[] {
  const invariant = 'a recorded call is never repeated';
  return byTask(evidence).flatMap(({ task, run, arrived }) =>
    [...arrived].flatMap(([requestId, calls]) => {
      const result = run.calls.get(requestId)?.results[0];
      if (!result || result.isAborted) return [];
      return calls
        .filter((call) => call.arrivedAt > result.at && !lateBreath(call, evidence.standstills))
        .map(({ number, arrivedAt }) => ({
          invariant,
          task,
          detail: `${requestId} was recorded in entry ${result.seq} and arrived again ${arrivedAt - result.at} ms later as call ${number}`,
        }));
    }),
  );
}

/** A result belongs to a call of its recorder: one that arrived before the recorder's claim is a stale owner's. */
export function resultsAreTheHolders(evidence: Evidence): Violation[] {
  const invariant = 'a recorded result comes from a call of the holder';
  const calls = new Map(evidence.calls.map((call) => [call.number, call]));
  const problem = (requestId: string, { seq, at, callNumber, claim }: CallRecord['results'][number]): string | undefined => {
    if (callNumber === undefined) return undefined;
    const call = calls.get(callNumber);
    if (!call) return `entry ${seq} has the answer of call ${callNumber}, which never came`;
    if (call.requestId !== requestId) return `entry ${seq} of ${requestId} has the answer to ${call.requestId}`;
    if (call.answeredAt === undefined || call.answeredAt > at) return `entry ${seq} came before the answer of call ${callNumber}`;
    return claim && call.arrivedAt < claim.at
      ? `entry ${seq} has the answer of call ${callNumber}, which arrived ${claim.at - call.arrivedAt} ms before ${claim.worker} claimed the run`
      : undefined;
  };
  return byTask(evidence).flatMap(({ task, run }) =>
    [...run.calls.values()].flatMap(({ requestId, results }) =>
      results.flatMap((result) => {
        const detail = problem(requestId, result);
        return detail === undefined ? [] : [{ invariant, task, detail }];
      }),
    ),
  );
}

/** Each holder sends a call once. */
export function onceForEachClaim(evidence: Evidence): Violation[] {
  const invariant = 'a call is made at most once under each claim';
  return byTask(evidence).flatMap(({ task, run, arrived }) =>
    [...arrived].flatMap(([requestId, calls]) => {
      const from = run.calls.get(requestId)?.requestedAt ?? 0;
      const until = run.calls.get(requestId)?.results[0]?.at ?? Infinity;
      const before = run.claims.findLast(({ at }) => at <= from);
      const claims = run.claims.filter((claim) => claim === before || (claim.at > from && claim.at <= until)).length;
      return calls.length > Math.max(1, claims)
        ? [{ invariant, task, detail: `${requestId} was made ${calls.length} times under ${claims} claims` }]
        : [];
    }),
  );
}

/** Repeated calls whose earlier result was not recorded. */
export function repeatedCalls(evidence: Pick<Evidence, 'calls'>): number {
  return evidence.calls.length - new Set(evidence.calls.map(({ requestId }) => requestId)).size;
}

/** Calls that arrived although their result was recorded: only a worker resumed after a standstill may send one. */
export function lateCalls(evidence: Evidence): number {
  return recordedIsNeverRepeated({ ...evidence, standstills: [] }).length;
}
