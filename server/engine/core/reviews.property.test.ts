// Invariants of every run with reviews, for any graph, decision, order of events and moment of a crash.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CRASH_STRIDE, firstCrash, reviewedCases as cases } from '../../testing/run-cases.ts';
import { simulate } from '../../testing/simulate-run.ts';
import { fromJournal, toJournal, type Entry } from './entries.ts';

function resultOf(journal: readonly Entry[]) {
  const last = journal.at(-1);
  if (last?.type === 'run.completed') return { phase: 'Succeeded', output: last.data.output };
  return last?.type === 'run.failed' ? { phase: last.data.phase, code: last.data.code } : undefined;
}

/** Where several reviews go badly side by side, the one that is answered first says how the task ends, and a crash may change which that is. */
const REFUSED = ['approval_denied', 'approval_timeout'];
function ending(journal: readonly Entry[]) {
  const result = resultOf(journal);
  return result && 'code' in result && REFUSED.includes(result.code) ? { phase: result.phase, code: 'refused' } : result;
}

const stored = (journal: readonly Entry[]) =>
  journal.map((entry) => fromJournal(JSON.parse(JSON.stringify(toJournal(entry))) as ReturnType<typeof toJournal>));
const picks = fc.infiniteStream(fc.nat(20));
const playing = (stream: { next: () => { value: unknown } }) => () => stream.next().value as number;

test('every run ends, no call is made twice, and no review stays open', () => {
  fc.assert(
    fc.property(cases, picks, ({ snapshot, world }, stream) => {
      const { journal, performed, state } = simulate(snapshot, { world, pick: playing(stream) });
      expect(resultOf(journal)).toBeDefined();
      expect(new Set(performed).size).toBe(performed.length);
      expect([...state.reviews.values()].filter(({ open }) => open)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('every reviewed agent and the task continue with the last approved output', () => {
  fc.assert(
    fc.property(cases, picks, ({ snapshot, world }, stream) => {
      const { journal } = simulate(snapshot, { world, pick: playing(stream) });
      const frozen = new Map<string, string>();
      for (const { type, data } of journal) {
        const place =
          type === 'review.requested' && data.checkpoint_type === 'task_output' ? 'task' : 'turn_id' in data ? data.turn_id : '';
        if (type === 'review.requested') frozen.set(data.name, data.output);
        if (type === 'review.resolved' && data.decision === 'approved')
          frozen.set(data.checkpoint_type === 'task_output' ? 'task' : place, frozen.get(data.name) ?? '');
        const reviewed = type === 'agent.completed' && snapshot.system.nodes[data.agent]?.review;
        if (reviewed) expect(data.output).toBe(frozen.get(place));
        if (type === 'run.completed' && snapshot.system.completionReview) expect(data.output['last_output']).toBe(frozen.get('task'));
      }
    }),
    { numRuns: 300 },
  );
});

test('cycles count from 1 without gaps, each naming the one before, and never more than allowed', () => {
  fc.assert(
    fc.property(cases, picks, ({ snapshot, world }, stream) => {
      const { journal } = simulate(snapshot, { world, pick: playing(stream) });
      const asked = journal.flatMap((entry) => (entry.type === 'review.requested' ? [entry.data] : []));
      expect(new Set(asked.map(({ name }) => name)).size).toBe(asked.length);
      for (const { review_cycle, max_review_cycles, supersedes } of asked) {
        expect(review_cycle).toBeLessThanOrEqual(max_review_cycles);
        const before = asked.find(({ name }) => name === supersedes);
        expect(before?.review_cycle ?? 0).toBe(review_cycle - 1);
      }
    }),
  );
});

test('after a crash at any entry the run ends the same, and no recorded call is repeated', () => {
  fc.assert(
    fc.property(cases, firstCrash, ({ snapshot, world }, first) => {
      const whole = simulate(snapshot, { world });
      for (let cut = first; cut < whole.journal.length; cut += CRASH_STRIDE) {
        const prefix = stored(whole.journal.slice(0, cut));
        const resumed = simulate(snapshot, { world, journal: prefix });
        expect(ending(resumed.journal)).toEqual(ending(whole.journal));
        const done = prefix.flatMap(({ type, data }) =>
          (type === 'model.completed' || type === 'tool.completed' || type === 'model.failed') && 'request_id' in data
            ? [data.request_id]
            : [],
        );
        expect(resumed.performed.filter((id) => done.includes(id))).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});
