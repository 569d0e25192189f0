// What must hold for every run, whatever its graph, its failures, the order in which calls end, and the moment of a crash.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, simulate, SimulatedFailure, type World } from '../../testing/simulate-run.ts';
import type { ApprovalVerdict, Entry } from './entries.ts';
import { fromJournal, toJournal } from './entries.ts';
import type { RunSnapshot } from './snapshot.ts';

type ApprovalWord = Omit<ApprovalVerdict, 'name'>;

const success = { kind: 'success' } as const;

interface Case {
  readonly snapshot: RunSnapshot;
  readonly world: World;
}

/** A graph without cycles, some agents that use tools over two steps, and some that fail at one of their steps on the first try. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    size: fc.integer({ min: 1, max: 6 }),
    edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10 }),
    tools: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
    /** 0: none. */
    failsAt: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
    tries: fc.integer({ min: 1, max: 3 }),
    onFailure: fc.constantFrom('deadletter', 'skip', 'continue_partial'),
  })
  .map(({ size, edges, tools, failsAt, tries, onFailure }) => {
    const names = Array.from({ length: size }, (_, index) => `a${index}`);
    const nodes = Object.fromEntries(
      names.map((name, index) => {
        const to = [
          ...new Set(edges.filter(([from, target]) => from === index && target > from && target < size).map(([, target]) => `a${target}`)),
        ];
        const join = { mode: 'wait_for_all', quorumCount: 0, quorumPercent: 0, onFailure } as const;
        return [name, { routes: to.map((target) => ({ to: target, labels: {}, condition: success })), join }];
      }),
    );
    const messageRetry = {
      maxAttempts: tries,
      backoffMs: 10,
      maxBackoffMs: 100,
      jitter: 'full',
      nonRetryable: [],
      inherited: false,
    } as const;
    const snapshot = runSnapshot({ agents: names.map((name) => agentSnapshot(name, { tools: ['tool'] })), nodes, task: { messageRetry } });
    const numberOf = (agent: string) => Number(agent.slice(1));
    const world: World = {
      model: ({ agent, agentStep, messageAttempt, user }) => {
        if (failsAt[numberOf(agent)] === agentStep && messageAttempt === 1) return new SimulatedFailure('execution_failed', true);
        const calls = agentStep < 3 ? (tools[numberOf(agent)] ?? 0) : 0;
        if (calls === 0) return { content: `${agent} on ${user.length}` };
        return {
          toolCalls: Array.from({ length: calls }, (_, index) => ({
            id: `c${index}`,
            name: 'tool',
            arguments: `{"n":${agentStep * 10 + index}}`,
          })),
        };
      },
      tool: ({ agent, input }) => `${agent} ${JSON.stringify(input)}`,
    };
    return { snapshot, world };
  });

const sentIn = (journal: readonly Entry[]) =>
  new Set(journal.flatMap((entry) => (entry.type === 'tool.requested' ? [entry.data.request_id] : [])));
const askedAgain = (journal: readonly Entry[]) =>
  new Set(
    journal.flatMap((entry) => (entry.type === 'approval.resolved' && entry.data.outcome === 'run_again' ? [entry.data.request_id] : [])),
  );

/** Every tool asks: what was sent before a crash waits for a person. */
const risky = ({ snapshot, world }: Case): Case => {
  const tools = { tool: { namespace: 'default', name: 'tool', spec: { type: 'http', risk_level: 'high' } } };
  return { snapshot: { ...snapshot, tools }, world };
};

const resultOf = (journal: readonly Entry[]) => {
  const last = journal.at(-1);
  if (last?.type === 'run.completed')
    return { phase: 'Succeeded', last: last.data.output['last_output'], tokens: last.data.output['tokens_used_total'] };
  return last?.type === 'run.failed' ? { phase: last.data.phase, code: last.data.code } : undefined;
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
    fc.property(cases, ({ snapshot, world }) => {
      const whole = simulate(snapshot, { world });
      for (let cut = 1; cut < whole.journal.length; cut += 1) {
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
  { decision: 'approved', outcome: 'done', output: 'as a person said' },
  { decision: 'approved', outcome: 'not_done' },
  { decision: 'denied' },
  { decision: 'expired' },
);

test('after a crash at any entry no risky call is sent again without a person who says so, and the run ends whatever they say', () => {
  fc.assert(
    fc.property(cases.map(risky), fc.infiniteStream(words), fc.nat(20), ({ snapshot, world }, said, pick) => {
      const whole = simulate(snapshot, { world, pick: (count) => pick % count });
      for (let cut = 1; cut < whole.journal.length; cut += 1) {
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

test('what a tool has done for a turn it is not asked to do again, however often the turn is tried', () => {
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
