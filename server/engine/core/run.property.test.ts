// Invariants of every run, for any graph, failure, order in which calls end, and moment of a crash.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, CRASH_STRIDE, firstCrash, resultOf, type Case } from '../../testing/run-cases.ts';
import { simulate, toolSnapshot } from '../../testing/simulate-run.ts';
import type { ApprovalVerdict, Entry } from './entries.ts';
import { fromJournal, toJournal } from './entries.ts';

type ApprovalWord = Omit<ApprovalVerdict, 'name'>;

const sentIn = (journal: readonly Entry[]) =>
  new Set(journal.flatMap((entry) => (entry.type === 'tool.requested' ? [entry.data.request_id] : [])));
const askedAgain = (journal: readonly Entry[]) =>
  new Set(
    journal.flatMap((entry) => (entry.type === 'approval.resolved' && entry.data.outcome === 'run_again' ? [entry.data.request_id] : [])),
  );

/** Every tool is of high risk, so calls sent before a crash wait for a person. */
const risky = ({ snapshot, world }: Case): Case => {
  const tools = { tool: toolSnapshot('tool', { type: 'http', risk_level: 'high' }) };
  return { snapshot: { ...snapshot, tools }, world };
};

const completed = (journal: readonly Entry[]) =>
  journal.flatMap(({ type, data }) =>
    ['model.completed', 'model.failed', 'tool.completed', 'tool.failed'].includes(type) && 'request_id' in data ? [data.request_id] : [],
  );

test('every run ends, and no call is performed twice', () => {
  fc.assert(
    fc.property(cases, fc.infiniteStream(fc.nat(20)), ({ snapshot, world }, picks) => {
      const { journal, performed } = simulate(snapshot, { world, pick: () => picks.next().value as number });
      expect(resultOf(journal)).toBeDefined();
      expect(new Set(performed).size).toBe(performed.length);
    }),
  );
});

test('after a crash at any entry the run ends the same, and no recorded call is repeated', () => {
  fc.assert(
    fc.property(cases, firstCrash, ({ snapshot, world }, first) => {
      const whole = simulate(snapshot, { world });
      for (let cut = first; cut < whole.journal.length; cut += CRASH_STRIDE) {
        const prefix = whole.journal.slice(0, cut).map((entry) => fromJournal(JSON.parse(JSON.stringify(toJournal(entry)))));
        const resumed = simulate(snapshot, { world, journal: prefix });
        expect(resultOf(resumed.journal)).toEqual(resultOf(whole.journal));
        const recorded = new Set(completed(prefix));
        expect(resumed.performed.filter((id) => recorded.has(id))).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});

const words = fc.constantFrom<ApprovalWord>(
  { decision: 'approved', outcome: 'run_again' },
  { decision: 'approved', outcome: 'done', output: 'as a person reported' },
  { decision: 'approved', outcome: 'not_done' },
  { decision: 'denied' },
  { decision: 'expired' },
);

test('after a crash at any entry no risky call is sent again without a decision, and the run ends after each decision', () => {
  fc.assert(
    fc.property(cases.map(risky), fc.infiniteStream(words), fc.nat(20), firstCrash, ({ snapshot, world }, said, pick, first) => {
      const whole = simulate(snapshot, { world, pick: (count) => pick % count });
      for (let cut = first; cut < whole.journal.length; cut += CRASH_STRIDE) {
        const prefix = whole.journal.slice(0, cut).map((entry) => fromJournal(JSON.parse(JSON.stringify(toJournal(entry)))));
        const resumed = simulate(snapshot, { world: { ...world, person: () => said.next().value as ApprovalWord }, journal: prefix });
        expect(resultOf(resumed.journal)).toBeDefined();
        expect([...resumed.state.approvals.values()].filter(({ open }) => open)).toEqual([]);
        const allowed = askedAgain(resumed.journal);
        const sent = sentIn(prefix);
        expect(resumed.performed.filter((id) => sent.has(id) && !allowed.has(id))).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});

test('when a person has every lost call sent again, the run ends as if nothing had happened, however often it crashes', () => {
  fc.assert(
    fc.property(cases.map(risky), fc.infiniteStream(fc.nat(1_000)), ({ snapshot, world }, cuts) => {
      const whole = simulate(snapshot, { world });
      let journal = whole.journal.slice(0, 1);
      for (let crash = 0; crash < 4; crash += 1) {
        const next = simulate(snapshot, { world, journal }).journal;
        journal = next.slice(0, Math.max(journal.length, ((cuts.next().value as number) % next.length) + 1));
      }
      const last = journal.at(-1)?.type ?? '';
      const end = last === 'run.completed' || last === 'run.failed' ? journal : simulate(snapshot, { world, journal }).journal;
      expect(resultOf(end)).toEqual(resultOf(whole.journal));
    }),
    { numRuns: 100 },
  );
});

test('a run that succeeds gives the same output in whatever order its calls end', () => {
  fc.assert(
    fc.property(cases, fc.infiniteStream(fc.nat(20)), ({ snapshot, world }, picks) => {
      const plain = resultOf(simulate(snapshot, { world }).journal);
      const shuffled = resultOf(simulate(snapshot, { world, pick: () => picks.next().value as number }).journal);
      if (plain?.phase === 'Succeeded') expect(shuffled).toEqual(plain);
    }),
  );
});

test('a join runs its agent once, with one message from each source that arrived', () => {
  fc.assert(
    fc.property(cases, fc.infiniteStream(fc.nat(20)), ({ snapshot, world }, picks) => {
      const { journal } = simulate(snapshot, { world, pick: () => picks.next().value as number });
      const released = journal.flatMap((entry) => (entry.type === 'join.released' ? [entry.data] : []));
      expect(new Set(released.map(({ node }) => node)).size).toBe(released.length);
      for (const { sources, message_ids } of released)
        expect(message_ids).toHaveLength(sources.filter(({ state }) => state === 'arrived').length);
    }),
  );
});

test('a tool call that succeeded in a turn is not repeated, in any number of tries', () => {
  fc.assert(
    fc.property(cases, fc.infiniteStream(fc.nat(20)), ({ snapshot, world }, picks) => {
      const { journal } = simulate(snapshot, { world, pick: () => picks.next().value as number });
      const asked = journal.flatMap((entry) =>
        entry.type === 'tool.requested' ? [`${entry.data.turn_id} ${JSON.stringify(entry.data.input)}`] : [],
      );
      expect(new Set(asked).size).toBe(asked.length);
    }),
  );
});
