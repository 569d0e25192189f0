// Commits that several transactions share. A commit that changes objects waits until the one before it is on the disk, since changes are numbered in
// the order of commits. So transactions that arrive while others wait run one after the other inside one commit.

export type Work<Tx> = (tx: Tx) => Promise<unknown>;
export type Outcome = { readonly kept: true; readonly value: unknown } | { readonly kept: false; readonly reason: unknown };

/**
 * Runs each in the same database transaction, and resolves with their outcomes once it is durable. Undefined: nothing was kept, and each may run
 * alone. Rejects when even one alone would have failed, or when it is not known whether they were written.
 */
export type RunTogether<Tx> = (works: readonly Work<Tx>[]) => Promise<readonly Outcome[] | undefined>;

interface Job<Tx> {
  readonly work: Work<Tx>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Database transactions at once: other transactions of this process need connections too. */
const AT_ONCE_MAX = 4;
/** Each waits for the answers to all before it. */
const TOGETHER_MAX = 8;

export class SharedCommits<Tx> {
  readonly #together: RunTogether<Tx>;
  readonly #waiting: Job<Tx>[] = [];
  #underWay = 0;

  constructor(together: RunTogether<Tx>) {
    this.#together = together;
  }

  /** `work` may run twice, so it changes nothing but through its transaction. Rejects with the error of `work`, without its writes. */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= AT_ONCE_MAX || this.#waiting.length === 0) return;
    this.#underWay += 1;
    void this.#commit(this.#waiting.splice(0, TOGETHER_MAX)).finally(() => {
      this.#underWay -= 1;
      this.#next();
    });
  }

  /** Never rejects. */
  async #commit(jobs: readonly Job<Tx>[]): Promise<void> {
    try {
      const outcomes = await this.#together(jobs.map(({ work }) => work));
      // One of them failed after it had written, or lost a race: alone, each gets its own outcome.
      if (!outcomes) return void (await Promise.all(jobs.map((job) => this.#commit([job]))));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kept) jobs[index]?.resolve(outcome.value);
        else jobs[index]?.reject(outcome.reason);
      }
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  }
}
