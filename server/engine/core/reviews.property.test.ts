// What must hold for every run whose outputs people review, whatever its graph, what they say, the order of things, and the moment of a crash.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentSnapshot, reviewPoint, runSnapshot, simulate, SimulatedFailure, type World } from '../../testing/simulate-run.ts';
import { fromJournal, toJournal, type Entry, type ReviewVerdict } from './entries.ts';
import type { NodeSnapshot, RunSnapshot } from './snapshot.ts';
import type { ReviewState } from './state.ts';

const AGENTS_MAX = 5;
const success = { kind: 'success' } as const;

interface Case {
  readonly snapshot: RunSnapshot;
  readonly world: World;
}

type Word = Omit<ReviewVerdict, 'name'>;
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Word>({ decision: 'approved' }) },
  { weight: 4, arbitrary: fc.constant<Word>({ decision: 'request_changes', comment: 'again' }) },
  { weight: 1, arbitrary: fc.constantFrom<Word>({ decision: 'denied' }, { decision: 'expired' }) },
);

/** A graph without cycles; some nodes are reviewed, some agents use a tool, some fail at one of their steps, some work under a contract. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    size: fc.integer({ min: 1, max: AGENTS_MAX }),
    edges: fc.array(fc.tuple(fc.nat(AGENTS_MAX - 1), fc.nat(AGENTS_MAX - 1)), { maxLength: 8 }),
    reviewed: fc.array(fc.boolean(), { minLength: AGENTS_MAX, maxLength: AGENTS_MAX }),
    contracts: fc.array(fc.boolean(), { minLength: AGENTS_MAX, maxLength: AGENTS_MAX }),
    /** Step at which it calls the tool. 0: never. */
    callsAt: fc.array(fc.nat(4), { minLength: AGENTS_MAX, maxLength: AGENTS_MAX }),
    failsAt: fc.array(fc.nat(4), { minLength: AGENTS_MAX, maxLength: AGENTS_MAX }),
    completion: fc.boolean(),
    cycles: fc.integer({ min: 1, max: 4 }),
    tries: fc.integer({ min: 1, max: 2 }),
    onFailure: fc.constantFrom('deadletter', 'skip', 'continue_partial'),
    /** What is said of a review, by its agent, cycle and count, so that it is the same whenever it is asked. */
    words: fc.array(word, { minLength: 7, maxLength: 7 }),
  })
  .map((made) => {
    const names = Array.from({ length: made.size }, (_, index) => `a${index}`);
    const join = { mode: 'wait_for_all', quorumCount: 0, quorumPercent: 0, onFailure: made.onFailure } as const;
    const node = (index: number): NodeSnapshot => {
      const targets = made.edges.filter(([from, to]) => from === index && to > from && to < made.size).map(([, to]) => `a${to}`);
      const routes = [...new Set(targets)].map((to) => ({ to, labels: {}, condition: success }));
      const review = reviewPoint(`point-${index}`, { maxReviewCycles: made.cycles });
      return { routes, join, ...(made.reviewed[index] && { review }) };
    };
    const messageRetry = {
      maxAttempts: made.tries,
      backoffMs: 10,
      maxBackoffMs: 100,
      jitter: 'full',
      nonRetryable: [],
      inherited: false,
    } as const;
    const agent = (name: string, index: number) =>
      agentSnapshot(name, { tools: ['tool'], ...(made.contracts[index] && { profile: 'contract', outputMarkers: ['on'] }) });
    const snapshot = runSnapshot({
      agents: names.map(agent),
      nodes: Object.fromEntries(names.map((name, index) => [name, node(index)])),
      task: { messageRetry },
      ...(made.completion && { completionReview: reviewPoint('final', { maxReviewCycles: made.cycles }) }),
    });
    const numberOf = (name: string) => Number(name.slice(1));
    const model: World['model'] = ({ agent: name, agentStep, messageAttempt, messages }) => {
      if (made.failsAt[numberOf(name)] === agentStep && messageAttempt === 1) return new SimulatedFailure('execution_failed', true);
      if (made.callsAt[numberOf(name)] !== agentStep) return { content: `${name} on ${JSON.stringify(messages).length}` };
      return { toolCalls: [{ id: `c${agentStep}`, name: 'tool', arguments: `{"n":${agentStep}}` }] };
    };
    const reviewer = ({ tag, name }: ReviewState): Word => {
      const count = Number(/-(\d+)$/.exec(name)?.[1] ?? 1);
      return (
        made.words[(count * 3 + tag.review_cycle + tag.agent.length + numberOf(tag.agent || 'a0')) % made.words.length] ?? {
          decision: 'approved',
        }
      );
    };
    return { snapshot, world: { model, reviewer } };
  });

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

test('every run ends, no call is made twice, and nothing is left that a person is asked', () => {
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

test('what goes on is what was approved last, of every reviewed agent and of the task', () => {
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
    fc.property(cases, ({ snapshot, world }) => {
      const whole = simulate(snapshot, { world });
      for (let cut = 1; cut < whole.journal.length; cut += 1) {
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
