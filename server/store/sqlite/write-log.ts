// The writes of the open transaction in order. With them a failed part is undone without a savepoint: the transaction is rolled back, then the
// writes before that part are repeated. A savepoint copies each page that changes inside it: a third of the cost of a write.

export type SqlValue = string | number | null;

interface Write {
  readonly run: (values: readonly SqlValue[]) => unknown;
  readonly values: readonly SqlValue[];
}

/** Most writes that are kept, and most characters of their values. */
const WRITES_MAX = 20_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

function charactersOf(values: readonly SqlValue[]): number {
  let sum = 0;
  for (const value of values) if (typeof value === 'string') sum += value.length;
  return sum;
}

export class WriteLog {
  /** Absent: nothing is kept. */
  #writes: Write[] | undefined;
  #characters = 0;
  /** The newest writes are missing: there was no room. */
  #full = false;

  start(): void {
    this.#writes = [];
    this.#characters = 0;
    this.#full = false;
  }

  stop(): void {
    this.#writes = undefined;
  }

  add(run: Write['run'], values: Write['values']): void {
    if (!this.#writes || this.#full) return;
    this.#characters += charactersOf(values);
    this.#full = this.#characters > CHARACTERS_MAX || this.#writes.length === WRITES_MAX;
    if (!this.#full) this.#writes.push({ run, values });
  }

  /** How many writes there are; undefined while they are not kept. */
  get count(): number | undefined {
    return this.#full ? undefined : this.#writes?.length;
  }

  /** Repeats the first `count` writes, and keeps none from then on. */
  repeat(count: number): void {
    const writes = this.#writes?.slice(0, count) ?? [];
    this.stop();
    for (const { run, values } of writes) run(values);
  }
}
