// Named objects that do not exist. A command handles the others, then reports each missing one as an error.
import { ApiError } from './client.ts';
import type { Invocation } from '../program/invocation.ts';

export class MissingObjects {
  /** One place for each object, in the order of the calls; requests may end in another. */
  readonly #errors: (ApiError | undefined)[] = [];

  /** Resolves to undefined for an object that does not exist; rejects with any other error. */
  async found<Result>(answer: Promise<Result>): Promise<Result | undefined> {
    const place = this.#errors.push(undefined) - 1;
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.#errors[place] = error;
      return undefined;
    }
  }

  /** Throws the error of the last missing object, with those of the others printed before it; returns when none is missing. */
  report(invocation: Invocation): void {
    const errors = this.#errors.filter((error) => error !== undefined);
    const last = errors.pop();
    invocation.note(...errors.map((error) => `${invocation.errorStyle.bad('error:')} ${error.message}`));
    if (last) throw last;
  }
}
