// Refusal to start that a supervisor shows by its cause: the code says what a person can do, the message names the object.
import type { FatalCode } from '@svc/shared/control';
import { ServiceError, type ErrorCode } from '@svc/shared/errors';

export class StartRefused extends ServiceError {
  override readonly name = 'StartRefused';
  readonly fatal: FatalCode;

  constructor(fatal: FatalCode, message: string, { code = 'unavailable', cause }: { code?: ErrorCode; cause?: unknown } = {}) {
    super(code, message, { cause });
    this.fatal = fatal;
  }
}
