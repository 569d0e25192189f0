// The CallError that a call throws at once; for pure rules.
import { CallError } from '../engine/ports.ts';

export function callError(call: () => unknown): CallError {
  try {
    call();
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
