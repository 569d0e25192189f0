// Transactions that share commits, over a database that is played.
import { describe, expect, it } from 'vitest';
import { NeedsOwnCommit, SharedCommits, type Outcome, type RunTogether } from './shared-commits.ts';

type Tx = string[];

/** Runs each work with a list for its writes. Groups wait for `release`. */
function played(outcomesOf: (works: number) => 'kept' | 'undone' | 'lost' = () => 'kept') {
  const groups: number[] = [];
  const releases: (() => void)[] = [];
  const together: RunTogether<Tx> = async (works) => {
    groups.push(works.length);
    await new Promise<void>((resolve) => releases.push(resolve));
    const end = outcomesOf(works.length);
    if (end === 'lost') throw new Error('the connection was lost');
    if (end === 'undone') return undefined;
    return Promise.all(
      works.map(async (work): Promise<Outcome> => {
        try {
          return { kept: true, value: await work([]) };
        } catch (reason) {
          return { kept: false, reason };
        }
      }),
    );
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const releaseAll = async () => {
    await turn();
    while (releases.length > 0) {
      releases.splice(0).forEach((release) => release());
      await turn();
    }
  };
  const commits = new SharedCommits<Tx>(together, (work) => work(['alone']));
  return { commits, groups, releaseAll };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('shared commits', () => {
  it('begin at once while few are in flight, and later take all waiting ones together', async () => {
    const { commits, groups, releaseAll } = played();
    const all = Promise.all(numbers(20).map((n) => commits.run(async () => n)));
    expect(groups).toEqual([1, 1, 1, 1]);
    await releaseAll();
    expect(await all).toEqual(numbers(20));
    expect(groups).toEqual([1, 1, 1, 1, 8, 8]);
  });

  it('hand each caller its own error', async () => {
    const { commits, releaseAll } = played();
    const all = Promise.allSettled(
      numbers(8).map((n) => commits.run(() => (n === 6 ? Promise.reject(new Error('no')) : Promise.resolve(n)))),
    );
    await releaseAll();
    expect((await all).map(({ status }) => status)).toEqual(numbers(8).map((n) => (n === 6 ? 'rejected' : 'fulfilled')));
  });

  it('run each alone once a group was undone', async () => {
    const { commits, groups, releaseAll } = played((works) => (works > 1 ? 'undone' : 'kept'));
    const all = Promise.all(numbers(7).map((n) => commits.run(async () => n)));
    await releaseAll();
    expect(await all).toEqual(numbers(7));
    expect(groups).toEqual([1, 1, 1, 1, 3, 1, 1, 1]);
  });

  it('run one that needs a commit of its own alone, in no place of the others', async () => {
    const { commits, groups, releaseAll } = played();
    const ended: number[] = [];
    let free: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => (free = resolve));
    const update = async (tx: Tx) => {
      if (tx[0] !== 'alone') throw new NeedsOwnCommit('exists');
      await locked;
    };
    const updates = Promise.all(numbers(6).map(() => commits.run(update)));
    const creates = Promise.all(numbers(10).map((n) => commits.run(async () => ended.push(n))));
    await releaseAll();
    await creates;
    expect([groups, ended]).toEqual([[1, 1, 1, 1, 8, 4], numbers(10)]);
    free();
    await updates;
  });

  it('repeat nothing when it is not known what was written', async () => {
    const { commits, groups, releaseAll } = played((works) => (works > 1 ? 'lost' : 'kept'));
    const all = Promise.allSettled(numbers(6).map((n) => commits.run(async () => n)));
    await releaseAll();
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(groups).toEqual([1, 1, 1, 1, 2]);
  });
});
