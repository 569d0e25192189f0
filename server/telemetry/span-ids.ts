// Identities of a run's spans: the same run gives the same ids in every process, so that spans sent by different workers make one tree.
import { createHash } from 'node:crypto';

const SPAN_ID_HEX_LENGTH = 16;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

function digest(parts: readonly (string | number)[], length: number): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, length);
}

/** The Task's uid without its hyphens, which is also the `trace_id` of its messages. */
export function traceIdOf(taskUid: string): string {
  const plain = taskUid.replaceAll('-', '').toLowerCase();
  return TRACE_ID.test(plain) ? plain : digest(['trace', taskUid], 32);
}

export function rootSpanId(taskUid: string): string {
  return digest(['task', taskUid], SPAN_ID_HEX_LENGTH);
}

/** Each try of a turn's message is a span of its own. A turn id already stands for task, attempt, branch and agent. */
export function attemptSpanId(turnId: string, messageAttempt: number, sentBackBy?: string): string {
  return digest(['turn', turnId, messageAttempt, ...(sentBackBy === undefined ? [] : [sentBackBy])], SPAN_ID_HEX_LENGTH);
}

/** A request id already stands for the try and the place within it. */
export function callSpanId(requestId: string): string {
  return digest(['call', requestId], SPAN_ID_HEX_LENGTH);
}

/** Whether a trace belongs to the given share (0 to 1) of all traces: the same answer in every process. */
export function isSampled(traceId: string, share: number): boolean {
  if (share >= 1) return true;
  // The last 32 bits: those of a version 7 UUID are random, its first are a time.
  return Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
}
