// The error of every fenced write whose claim has been taken over. Callers drop their result and stop.
import { ServiceError } from '@svc/shared/errors';

export class LeaseLost extends ServiceError {
  override readonly name = 'LeaseLost';

  constructor(key: string, fence: number) {
    super('conflict', `the claim on ${key} with fence ${fence} is no longer held; its result is dropped`);
  }
}
