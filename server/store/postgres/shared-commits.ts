// Commits that several transactions share. A commit that changes objects waits until the one before it is on the disk, since changes are numbered in
// the order of commits. So transactions that arrive while others wait run one after the other inside one commit.

export type Work<Tx> = (tx: Tx) => Promise<unknown>;
export type Outcome = { readonly kept: true; readonly value: unknown } | { readonly kept: false; readonly reason: unknown };

/**
 * Runs each in the same database transaction, and resolves with their outcomes once it is durable. Undefined: nothing was kept, and each may run
 * alone. Rejects when even one alone would have failed, or when it is not known whether they were written.
 */
export type RunTogether<Tx> = (works: readonly Work<Tx>[]) => Promise<readonly Outcome[] | undefined>;

/** Thrown by a transaction that shares a commit, ahead of a lock that others may hold: its neighbours must not wait for it. */
export class NeedsOwnCommit extends Error {
  override readonly name = 'NeedsOwnCommit';
}

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
  readonly #alone: (work: Work<Tx>) => Promise<unknown>;
  readonly #waiting: Job<Tx>[] = [];
  #underWay = 0;

  /** `alone` runs a work in a transaction that may wait for locks. */
  constructor(together: RunTogether<Tx>, alone: (work: Work<Tx>) => Promise<unknown>) {
    this.#together = together;
    this.#alone = alone;
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
        const job = jobs[index];
        if (outcome.kept) job?.resolve(outcome.value);
        else if (job) this.#refuse(job, outcome.reason);
      }
    } catch (error) {
      for (const job of jobs) this.#refuse(job, error);
    }
  }

  /** One that needs a commit of its own takes no place here meanwhile. */
  #refuse({ work, resolve, reject }: Job<Tx>, reason: unknown): void {
    if (reason instanceof NeedsOwnCommit) this.#alone(work).then(resolve, reject);
    else reject(reason);
  }
}
