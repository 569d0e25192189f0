// Leadership over a real store: each leader has a clock of its own, so that one can stand still while the other's advances.
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Claim, Store } from '../../store/store.ts';
import { keptLog, storeEngines, turns } from '../../testing/background.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createLeader, LEADER_QUEUE, type Leader } from './leader.ts';
import { overlay } from '../../overlay.ts';

const LEASE_MS = 30_000;
const DOC = 'test-writes';

interface Candidate {
  readonly clock: ManualClock;
  readonly lines: ReturnType<typeof keptLog>['lines'];
  readonly leader: Leader;
  /** The claim of the latest term, kept after the term has ended, as in a paused process. */
  claim: Claim | undefined;
  terms: number;
  signal: AbortSignal | undefined;
}

function candidate(store: Store, owner: string, more: { name?: string; renewMs?: number; lead?: () => Promise<void> } = {}): Candidate {
  const clock = createManualClock();
  const { log, lines } = keptLog();
  const self: { -readonly [K in keyof Candidate]: Candidate[K] } = {
    clock,
    lines,
    claim: undefined,
    terms: 0,
    signal: undefined,
    leader: undefined as never,
  };
  const lead = async (claim: Claim, signal: AbortSignal): Promise<void> => {
    Object.assign(self, { claim, signal, terms: self.terms + 1 });
    if (more.lead) return more.lead();
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  const { name = 'test', renewMs = LEASE_MS / 3 } = more;
  self.leader = createLeader({ store, clock, log, owner, leaseMs: LEASE_MS, renewMs, name, lead });
  onTestFinished(() => self.leader.stop());
  return self;
}

/** A write as a leader makes it. */
function write(store: Store, claim: Claim): Promise<void> {
  return store.transaction(async (tx) => {
    await tx.assertClaim(claim);
    const before = (await tx.getDocument(DOC, 'log')) as { fences: number[]; owners: string[] } | undefined;
    const fences = [...(before?.fences ?? []), claim.fence];
    await tx.putDocument(DOC, 'log', { fences, owners: [...(before?.owners ?? []), claim.owner] });
  });
}

const leads = ({ leader }: Candidate) => expect.poll(() => leader.leading(), { interval: 2 }).toBe(true);
const follows = ({ leader }: Candidate) => expect.poll(() => leader.leading(), { interval: 2 }).toBe(false);

describe.each(storeEngines.filter(({ skip }) => !skip))('leaders over $name', ({ open }) => {
  async function setup(): Promise<Store> {
    const store = await open(createManualClock());
    onTestFinished(() => store.close());
    return store;
  }

  it('lets one of two lead, and the other as soon as it stops', async () => {
    const store = await setup();
    const [first, second] = [candidate(store, 'a'), candidate(store, 'b')];
    first.leader.start();
    await leads(first);
    second.leader.start();
    await turns();
    expect([first.leader.leading(), second.leader.leading()]).toEqual([true, false]);
    await first.leader.stop();
    await leads(second);
    expect(second.claim).toMatchObject({ owner: 'b', fence: 2, takeover: false });
    expect(first.signal?.aborted).toBe(true);
  });

  it('takes over from a stalled leader, whose writes are then refused', async () => {
    const store = await setup();
    const [paused, heir] = [candidate(store, 'a'), candidate(store, 'b')];
    paused.leader.start();
    await leads(paused);
    heir.leader.start();
    await turns();
    const old = paused.claim as Claim;
    await write(store, old);
    heir.clock.advance(LEASE_MS);
    await leads(heir);
    expect(heir.claim).toMatchObject({ owner: 'b', fence: old.fence + 1, takeover: true });
    await write(store, heir.claim as Claim);
    await expect(write(store, old)).rejects.toBeInstanceOf(LeaseLost);
    expect(await store.getDocument(DOC, 'log')).toEqual({ fences: [1, 2], owners: ['a', 'b'] });
    paused.clock.advance(LEASE_MS);
    await follows(paused);
    await turns();
    expect(heir.leader.leading()).toBe(true);
  });

  it('keeps leading over a clock that is set ahead', async () => {
    const store = await setup();
    let aheadMs = 0;
    const time = createManualClock();
    const clock = { ...time, now: () => time.now() + aheadMs };
    const { log, lines } = keptLog();
    const lead = (_: Claim, signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const leader = createLeader({ store, clock, log, owner: 'a', leaseMs: LEASE_MS, name: 'test', lead });
    onTestFinished(() => leader.stop());
    leader.start();
    await expect.poll(() => leader.leading()).toBe(true);
    aheadMs = 3_600_000;
    for (let n = 0; n < 6; n += 1) {
      const before = (await store.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil;
      time.advance(LEASE_MS / 3);
      await expect.poll(async () => (await store.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil).not.toBe(before);
    }
    expect([leader.leading(), lines.filter(({ level }) => Number(level) >= 40)]).toEqual([true, []]);
  });

  it('keeps leading while it renews, despite other candidates', async () => {
    const store = await setup();
    // No divisor of the time a leader trusts its lease for, so that the sleep time identifies which of the two it is.
    const renewMs = LEASE_MS / 4;
    const [first, second] = [candidate(store, 'a', { renewMs }), candidate(store, 'b', { renewMs })];
    first.leader.start();
    await leads(first);
    second.leader.start();
    // The lease is renewed in the store before the leader receives the result, and time may only advance when it does.
    const rests = () => expect.poll(() => first.clock.isAwaited(first.clock.now() + renewMs), { interval: 2 }).toBe(true);
    for (let round = 1; round <= 12; round += 1) {
      await rests();
      const until = first.clock.now() + renewMs + LEASE_MS;
      for (const { clock } of [first, second]) clock.advance(renewMs);
      await expect.poll(async () => (await store.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil, { interval: 2 }).toBe(until);
    }
    expect([first.terms, second.terms, first.claim?.fence]).toEqual([1, 0, 1]);
  });

  it('takes over from a clock that was ahead once its lease was not renewed for the time of one', async () => {
    const store = await setup();
    const [ahead, right] = [candidate(store, 'a'), candidate(store, 'b')];
    ahead.clock.advance(26 * 3_600_000);
    ahead.leader.start();
    await leads(ahead);
    const old = ahead.claim as Claim;
    right.leader.start();
    await expect.poll(() => right.clock.isAwaited(right.clock.now() + LEASE_MS), { interval: 2 }).toBe(true);
    right.clock.advance(LEASE_MS - 1);
    await turns();
    expect(right.leader.leading()).toBe(false);
    right.clock.advance(1);
    await leads(right);
    expect(right.claim).toMatchObject({ owner: 'b', fence: old.fence + 1, leaseUntil: right.clock.now() + LEASE_MS });
    expect((await store.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil).toBe(right.clock.now() + LEASE_MS);
    await expect(write(store, old)).rejects.toBeInstanceOf(LeaseLost);
  });

  it('leaves the lease to a clock that is ahead while it is renewed', async () => {
    const store = await setup();
    const [ahead, right] = [candidate(store, 'a'), candidate(store, 'b')];
    ahead.clock.advance(3_600_000);
    ahead.leader.start();
    await leads(ahead);
    right.leader.start();
    await turns();
    for (let round = 1; round <= 5; round += 1) {
      await expect.poll(() => ahead.clock.isAwaited(ahead.clock.now() + LEASE_MS / 3), { interval: 2 }).toBe(true);
      const until = ahead.clock.now() + LEASE_MS / 3 + LEASE_MS;
      ahead.clock.advance(LEASE_MS / 3);
      await expect.poll(async () => (await store.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil, { interval: 2 }).toBe(until);
      await turns();
      right.clock.advance(LEASE_MS / 3);
    }
    expect([ahead.leader.leading(), right.terms]).toEqual([true, 0]);
    const reported = right.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(reported).toEqual([expect.stringContaining('--task-lease-duration')]);
  });

  it('is free at once after a leader whose clock was ahead has stopped', async () => {
    const store = await setup();
    const [ahead, right] = [candidate(store, 'a'), candidate(store, 'b')];
    ahead.clock.advance(26 * 3_600_000);
    ahead.leader.start();
    await leads(ahead);
    await ahead.leader.stop();
    right.leader.start();
    await leads(right);
  });

  it('leaves leaders of other names alone', async () => {
    const store = await setup();
    const [first, other] = [candidate(store, 'a', { name: 'one' }), candidate(store, 'a', { name: 'two' })];
    first.leader.start();
    other.leader.start();
    await leads(first);
    await leads(other);
    expect([first.claim?.key, other.claim?.key]).toEqual(['one', 'two']);
  });

  it('releases the lease when leading fails, and retries later', async () => {
    const store = await setup();
    const failing = candidate(store, 'a', { lead: () => Promise.reject(new Error('no')) });
    failing.leader.start();
    await expect.poll(async () => (await store.getWorkItem(LEADER_QUEUE, 'test'))?.notBefore, { interval: 2 }).toBeGreaterThan(0);
    await turns();
    expect(failing.terms).toBe(1);
    failing.clock.advance(LEASE_MS / 3);
    await expect.poll(() => failing.terms, { interval: 2 }).toBe(2);
  });
});

describe('a leader whose store does not answer', () => {
  async function setup(broken: (store: Store, over: Promise<void>) => Store['transaction']) {
    const engine = storeEngines[0];
    if (!engine) throw new Error('no engine');
    const real = await engine.open(createManualClock());
    onTestFinished(() => real.close());
    let failing = false;
    let answer = (): void => undefined;
    const over = new Promise<void>((resolve) => (answer = resolve));
    const store = overlay(real, { transaction: (work) => (failing ? broken(real, over)(work) : real.transaction(work)) });
    const one = candidate(store, 'a');
    // The last cleanup added runs first: a leader stops only after the store has answered.
    onTestFinished(async () => answer());
    return { one, real, fail: () => (failing = true) };
  }

  it.each([
    ['refuses', () => () => Promise.reject(new Error('gone'))],
    // Until the end of the test: a store that answers sooner lets the leader be elected again between two checks of the test.
    [
      'hangs',
      (store: Store, over: Promise<void>) => (work: Parameters<Store['transaction']>[0]) => over.then(() => store.transaction(work)),
    ],
  ])('stops well before its lease ends when the store %s', async (_how, broken) => {
    const { one, fail, real } = await setup(broken as Parameters<typeof setup>[0]);
    one.leader.start();
    await leads(one);
    const leaseUntil = (await real.getWorkItem(LEADER_QUEUE, 'test'))?.leaseUntil ?? 0;
    fail();
    one.clock.advance(LEASE_MS / 3);
    await turns();
    expect(one.leader.leading()).toBe(true);
    one.clock.advance(LEASE_MS / 3);
    await follows(one);
    expect(one.signal?.reason).toBeInstanceOf(LeaseLost);
    expect(leaseUntil - one.clock.now()).toBe(LEASE_MS / 3);
  });
});

it('reports an outage of writes once while reads succeed', async () => {
  const engine = storeEngines[0];
  const real = await (engine?.open(createManualClock()) ?? Promise.reject(new Error('no engine')));
  onTestFinished(() => real.close());
  let refusals = 0;
  let isFull = true;
  const transaction: Store['transaction'] = (work) => {
    if (!isFull) return real.transaction(work);
    refusals += 1;
    return Promise.reject(new Error('full'));
  };
  const one = candidate(overlay(real, { transaction }), 'a');
  one.leader.start();
  for (let round = 1; round <= 5; round += 1) {
    await expect.poll(() => refusals, { interval: 2 }).toBeGreaterThanOrEqual(round);
    await turns();
    one.clock.advance(LEASE_MS);
  }
  isFull = false;
  await expect.poll(() => (one.clock.advance(LEASE_MS / 20), one.leader.leading()), { interval: 20 }).toBe(true);
  const reported = one.lines.map(({ message }) => message).filter((message) => String(message).startsWith('electing'));
  expect(reported).toEqual(['electing a leader fails; trying again', 'electing a leader works again']);
});

it('stops twice, and without having been started', async () => {
  const store = await (storeEngines[0]?.open(createManualClock()) ?? Promise.reject(new Error('no engine')));
  onTestFinished(() => store.close());
  const { leader } = candidate(store, 'a');
  await leader.stop();
  await leader.stop();
  leader.start();
  await turns();
  expect(await store.getWorkItem(LEADER_QUEUE, 'test')).toBeUndefined();
});

type Step = { readonly who: number } & (
  { readonly do: 'advance'; readonly ms: number } | { readonly do: 'write' } | { readonly do: 'pause' }
);

/** Pauses are steps in which time advances for everybody else. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ who: fc.nat(2), do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: LEASE_MS }) }) },
    { weight: 3, arbitrary: fc.record({ who: fc.nat(2), do: fc.constant('write' as const) }) },
    { weight: 2, arbitrary: fc.record({ who: fc.nat(2), do: fc.constant('pause' as const) }) },
  ),
  { minLength: 15, maxLength: 40 },
);

/** True when the step was a write that was refused. */
async function play(store: Store, candidates: readonly Candidate[], step: Step): Promise<boolean> {
  const one = candidates[step.who];
  if (!one) return false;
  let refused = false;
  if (step.do === 'advance') one.clock.advance(step.ms);
  if (step.do === 'pause') candidates.forEach((each) => each !== one && each.clock.advance(LEASE_MS));
  const claim = one.claim;
  if (step.do === 'write' && claim)
    await write(store, claim).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
      refused = true;
    });
  await turns(4);
  return refused;
}

it('accepts writes in the order of fences only, despite pauses and clock changes', async () => {
  const engine = storeEngines[0];
  if (!engine) throw new Error('no engine');
  const shown = { successions: 0, refusals: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const store = await engine.open(createManualClock());
      const candidates = ['a', 'b', 'c'].map((owner) => candidate(store, owner));
      try {
        candidates.forEach(({ leader }) => leader.start());
        await turns(10);
        for (const step of plan) shown.refusals += (await play(store, candidates, step)) ? 1 : 0;
        const log = (await store.getDocument(DOC, 'log')) as { fences: number[]; owners: string[] } | undefined;
        const fences = log?.fences ?? [];
        expect(fences).toEqual([...fences].sort((a, b) => a - b));
        const ownersByFence = new Map(fences.map((fence, index) => [fence, log?.owners[index]]));
        fences.forEach((fence, index) => expect(log?.owners[index]).toBe(ownersByFence.get(fence)));
        shown.successions += Math.max(0, ownersByFence.size - 1);
      } finally {
        await Promise.all(candidates.map(({ leader }) => leader.stop()));
        await store.close();
      }
    }),
    { numRuns: 40 },
  );
  // Without changes of leadership and writes of old leaders the plans would prove nothing.
  expect(shown.successions).toBeGreaterThan(10);
  expect(shown.refusals).toBeGreaterThan(10);
});
