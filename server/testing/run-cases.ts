// Runs to draw at random: graphs without cycles whose agents use tools and fail now and then. For property tests.
import fc from 'fast-check';
import type { Entry, ReviewVerdict } from '../engine/core/entries.ts';
import type { NodeSnapshot, RunSnapshot } from '../engine/core/snapshot.ts';
import type { ReviewState } from '../engine/core/state.ts';
import { agentSnapshot, reviewPoint, runSnapshot, SimulatedFailure, type World } from './simulate-run.ts';

const success = { kind: 'success' } as const;

export interface Case {
  readonly snapshot: RunSnapshot;
  readonly world: World;
}

/** A graph without cycles, some agents that use tools over two steps, and some that fail at one of their steps on the first try. */
export const cases: fc.Arbitrary<Case> = fc
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
          ...(calls > 1 && { providerState: { state: [agent, agentStep] } }),
        };
      },
      tool: ({ agent, input }) => `${agent} ${JSON.stringify(input)}`,
    };
    return { snapshot, world };
  });

const AGENTS_MAX = 5;
type Word = Omit<ReviewVerdict, 'name'>;
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Word>({ decision: 'approved' }) },
  { weight: 4, arbitrary: fc.constant<Word>({ decision: 'request_changes', comment: 'again' }) },
  { weight: 1, arbitrary: fc.constantFrom<Word>({ decision: 'denied' }, { decision: 'expired' }) },
);

/** A graph without cycles; some nodes are reviewed, some agents use a tool, some fail at one of their steps, some work under a contract. */
export const reviewedCases: fc.Arbitrary<Case> = fc
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
    /** Decisions on reviews, by agent, cycle and count, so that the same review always gets the same decision. */
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

/** A run is cut at every third entry, from a drawn first one: the runs of a property together crash at any entry. */
export const CRASH_STRIDE = 3;
export const firstCrash = fc.integer({ min: 1, max: CRASH_STRIDE });

/** How a run ended; undefined while it has not. */
export const resultOf = (journal: readonly Entry[]) => {
  const last = journal.at(-1);
  if (last?.type === 'run.completed')
    return { phase: 'Succeeded', last: last.data.output['last_output'], tokens: last.data.output['tokens_used_total'] };
  return last?.type === 'run.failed' ? { phase: last.data.phase, code: last.data.code } : undefined;
};
