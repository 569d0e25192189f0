// Failure of a Memory's database, with a code that survives the way out of its thread.
import type { ProblemCode } from './requests.ts';

export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';
  readonly code: ProblemCode;

  /** `message` follows the name of the Memory: "holds vectors of 3 dimensions". */
  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
