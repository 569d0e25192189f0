// Name of a request in the log, the audit and the answer.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Header of every answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id';
const GIVEN = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that the client gave where it has the form of one, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN.test(given) ? given : randomUUID();
}
