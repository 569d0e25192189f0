// One audit line for a change that a caller requests: its outcome, and the code of a failure.
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { RequestContext } from '../registry/registry.ts';
import { principalOf, type AuditEvent, type AuditSink } from './audit-event.ts';

interface Change<T> extends Pick<AuditEvent, 'component' | 'action' | 'resource' | 'details'> {
  /** Code of an answer that is a failure. */
  readonly failureOf?: (answer: T) => string | undefined;
}

type AuditChange = <T>(context: RequestContext, change: Change<T>, done: Promise<T>) => Promise<T>;

/** Longest text of a detail that a caller chose. */
export const DETAIL_MAX_CHARS = 253;

/** The HTTP surface reports refusals for a missing role, as it does for every request. */
export function createAuditChange(sink: AuditSink, clock: Clock): AuditChange {
  return async ({ identity, requestId }, { failureOf, details, ...line }, done) => {
    const write = (code: string | undefined) =>
      sink.write({
        ...line,
        timestamp: timestamp(clock.now()),
        outcome: code === undefined ? 'success' : 'failed',
        principal: principalOf(identity),
        request_id: requestId,
        details: { ...details, ...(code !== undefined && { code }) },
      });
    try {
      const answer = await done;
      write(failureOf?.(answer));
      return answer;
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : 'internal';
      if (code !== 'forbidden') write(code);
      throw error;
    }
  };
}
