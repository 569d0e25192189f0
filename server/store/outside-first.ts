// Slow work that a transaction turns out to need: it is rolled back, the work is done outside, and it runs again. Nothing waits while it holds up writers.

/** Rounds of finding out that something is missing; each does at least one piece of work. */
const ROUNDS_MAX = 200;

/** Thrown out of a transaction to have `act` done before it runs again. */
export class OutsideFirst extends Error {
  override readonly name = 'OutsideFirst';
  readonly act: () => Promise<void>;

  constructor(act: () => Promise<void>) {
    super('this transaction needs work that is done outside of it');
    this.act = act;
  }
}

/** Runs `attempt` again after each piece of work that it requested. Throws what the work throws. */
export async function outsideFirst<T>(attempt: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof OutsideFirst) || round >= ROUNDS_MAX) throw error;
      await error.act();
    }
  }
}
