// Errors of a start as the supervisor gets them: a code that decides whether a restart can help, a message, and what a person can do.
import { FATALS, type FatalCode, type FromServer } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { StartRefused } from '../start-refused.ts';

const MESSAGE_MAX = 2_000;

function codeOf(error: unknown): FatalCode {
  if (error instanceof StartRefused) return error.fatal;
  return error instanceof ServiceError && error.code === 'invalid' ? 'BAD_CONFIG' : 'START_FAILED';
}

export function fatalOf(error: unknown): Extract<FromServer, { type: 'fatal' }> {
  const code = codeOf(error);
  // Messages of other errors are for the log: they may hold anything.
  const message = error instanceof ServiceError ? error.message : 'The server failed to start';
  return { type: 'fatal', code, message: message.slice(0, MESSAGE_MAX), hint: FATALS[code].hint };
}
