// Named objects that do not exist. A command handles the others, then reports each missing one as an error.
import { ApiError } from './client.ts';
import type { Invocation } from '../program/invocation.ts';

export class MissingObjects {
  readonly #errors: ApiError[] = [];

  /** Resolves to undefined for an object that does not exist; rejects with any other error. */
  async found<Result>(answer: Promise<Result>): Promise<Result | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.#errors.push(error);
      return undefined;
    }
  }

  /** Throws the error of the last missing object, with those of the others printed before it; returns when none is missing. */
  report(invocation: Invocation): void {
    const last = this.#errors.pop();
    invocation.note(...this.#errors.map((error) => `${invocation.errorStyle.bad('error:')} ${error.message}`));
    if (last) throw last;
  }
}
