// Outputs that people review, as tables: when they wait, when they continue, and the message to an agent whose work is sent back.
import { describe, expect, test } from 'vitest';
import {
  agentSnapshot,
  reviewPoint,
  runSnapshot,
  settleWith,
  simulate,
  SimulatedFailure,
  type SnapshotParts,
  type World,
} from '../../testing/simulate-run.ts';
import type { Entry, EntryOf, EntryType, ReviewVerdict } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import { openReviews, resolveReview } from './reviews.ts';
import type { Route } from './snapshot.ts';
import { newRunState, type RunState } from './state.ts';

const route = (to: string, labels: Record<string, string> = {}): Route => ({ to, labels, condition: { kind: 'success' } });
const ofType = <T extends EntryType>(journal: readonly Entry[], type: T) =>
  journal.filter((entry): entry is EntryOf<T> => entry.type === type);
const play = (parts: SnapshotParts, world: World) => simulate(runSnapshot(parts), { world });
const endOf = ({ state }: { state: RunState }) => ({
  phase: state.end?.phase,
  code: state.end?.failure?.code,
  output: state.end?.output['last_output'],
});

type Word = Omit<ReviewVerdict, 'name'>;
const changes = (comment: string): Word => ({ decision: 'request_changes', comment, decided_by: 'ann' });
/** Says one word after the other, then approves. */
function saying(...words: Word[]): NonNullable<World['reviewer']> {
  const left = [...words];
  return () => left.shift() ?? { decision: 'approved' };
}
/** Answers `<agent> <n>`, n counting its answers. */
const counting: World['model'] = ({ agent, messages }) => ({
  content: `${agent} ${messages.filter(({ role }) => role === 'assistant').length + 1}`,
});

const two: SnapshotParts = {
  agents: [agentSnapshot('writer'), agentSnapshot('sender')],
  nodes: { writer: { routes: [route('sender')], review: reviewPoint('draft', { reason: 'read it first', ttlMs: 5_000 }) } },
};

/** The state right after the first entry of this type, settled. */
function until(parts: SnapshotParts, world: World, type: EntryType): RunState {
  const { journal } = play(parts, world);
  const state = newRunState();
  const end = journal.findIndex((entry) => entry.type === type);
  for (const entry of journal.slice(0, end + 1)) applyEntry(state, entry);
  return state;
}

describe('the output of an agent', () => {
  test('is frozen and waits: no other agent receives it, and nothing runs meanwhile', () => {
    const state = until(two, { model: counting }, 'review.requested');
    const { decision } = settleWith(state, {}, { now: 9_000_000, random: () => 0.5, worker: 'w' });
    expect(decision).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
    expect(openReviews(state)).toMatchObject([
      {
        output: 'writer 1',
        tag: { agent: 'writer', checkpoint_id: 'draft', checkpoint_type: 'agent_output', review_cycle: 1, branch_id: 'b001' },
        allowRequestChanges: true,
        maxReviewCycles: 3,
      },
    ]);
  });

  test('states its reason and its deadline', () => {
    const [asked] = ofType(play(two, { model: counting }).journal, 'review.requested');
    expect(asked?.data).toMatchObject({
      why: 'read it first',
      expires_at: (asked?.at ?? 0) + 5_000,
      name: expect.stringMatching(/^review-[0-9a-f]{16}$/) as string,
    });
    expect(asked?.data).not.toHaveProperty('supersedes');
  });

  test('an approved output continues unchanged', () => {
    const run = play(two, { model: counting });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'sender 1' });
    const [completed] = ofType(run.journal, 'agent.completed');
    expect(completed?.data).toMatchObject({ agent: 'writer', output: 'writer 1' });
  });

  test.each<[Word, string]>([
    [{ decision: 'denied', decided_by: 'ann', comment: 'no' }, 'approval_denied'],
    [{ decision: 'expired' }, 'approval_timeout'],
  ])('%j ends the Task as Failed', (word, code) => {
    const run = play(two, { model: counting, reviewer: saying(word) });
    expect(endOf(run)).toMatchObject({ phase: 'Failed', code });
    expect(ofType(run.journal, 'agent.completed')).toEqual([]);
  });

  test('a denial names the reviewer and the reason', () => {
    const { state } = play(two, { model: counting, reviewer: saying({ decision: 'denied', decided_by: 'ann', comment: 'too long' }) });
    expect(state.end?.failure?.message).toMatch(/^TaskApproval review-.+ for the output of agent writer was denied by ann: too long$/);
  });

  test('the output of an agent that failed is not reviewed', () => {
    const nodes = { writer: { routes: [{ ...route('sender'), condition: { kind: 'on_error' } } as const], review: reviewPoint('draft') } };
    const model: World['model'] = (call) => (call.agent === 'writer' ? new SimulatedFailure('auth_invalid', false) : counting(call));
    const run = play({ ...two, nodes }, { model });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded' });
    expect(ofType(run.journal, 'review.requested')).toEqual([]);
  });

  test('is ignored by a review of another name, and is decided once', () => {
    const state = until(two, { model: counting }, 'review.requested');
    const [{ name = '' } = {}] = openReviews(state);
    expect(resolveReview(state, { name: 'other', decision: 'approved' }, 2_000)).toBeUndefined();
    const entry = resolveReview(state, { name, decision: 'approved' }, 2_000);
    if (entry) applyEntry(state, entry);
    expect(entry).toBeDefined();
    expect(resolveReview(state, { name, decision: 'denied' }, 2_000)).toBeUndefined();
  });
});

describe('work that is sent back', () => {
  test('work that is sent back continues in the same conversation with the comment, and is reviewed again', () => {
    const seen: string[] = [];
    const model: World['model'] = (call) => {
      if (call.agent === 'writer') seen.push(call.messages.map(({ role }) => role).join(' '), call.messages.at(-1)?.content ?? '');
      return counting(call);
    };
    const run = play(two, { model, reviewer: saying(changes('shorter'), changes('shorter still')) });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'sender 1' });
    expect(seen.filter((_, index) => index % 2 === 0)).toEqual([
      'system user',
      'system user assistant user',
      'system user assistant user assistant user',
    ]);
    expect(seen[3]).toMatch(/^A person has reviewed your last answer and asks for changes:\n\nshorter\n\n/);
    const asked = ofType(run.journal, 'review.requested').map(({ data }) => [data.review_cycle, data.output, data.supersedes]);
    const [first, second] = ofType(run.journal, 'review.requested').map(({ data }) => data.name);
    expect(second).toBe(`${first}-2`);
    expect(asked).toEqual([
      [1, 'writer 1', undefined],
      [2, 'writer 2', first],
      [3, 'writer 3', second],
    ]);
    expect(ofType(run.journal, 'agent.completed')[0]?.data.output).toBe('writer 3');
  });

  test('at the last cycle counts as denied', () => {
    const again = changes('again');
    expect(endOf(play(two, { model: counting, reviewer: saying(again, again, again) }))).toMatchObject({
      phase: 'Failed',
      code: 'approval_denied',
    });
  });

  test('where that is not allowed counts as denied', () => {
    const nodes = { writer: { routes: [route('sender')], review: reviewPoint('draft', { allowRequestChanges: false }) } };
    expect(endOf(play({ ...two, nodes }, { model: counting, reviewer: saying(changes('again')) }))).toMatchObject({
      code: 'approval_denied',
    });
  });

  test('has all its steps and all its time again', () => {
    const model: World['model'] = ({ messages, agentStep }) => {
      const told = messages.at(-1)?.role === 'user';
      return told
        ? { toolCalls: [{ id: `c${agentStep}`, name: 'look', arguments: `{"n":${agentStep}}` }] }
        : { content: `answer ${agentStep}` };
    };
    const agents = [agentSnapshot('writer', { maxSteps: 2, tools: ['look'], timeoutMs: 1_000 })];
    const run = play(
      { agents, nodes: { writer: { review: reviewPoint('draft') } } },
      { model, reviewer: saying(changes('more'), changes('more')) },
    );
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'answer 6' });
    expect(ofType(run.journal, 'model.requested').map(({ data }) => data.agent_step)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(run.performed).size).toBe(run.performed.length);
  });

  test('fails without an answer within these steps: the old answer is not used', () => {
    const model: World['model'] = ({ agentStep }) =>
      agentStep === 1 ? { content: 'first' } : { toolCalls: [{ id: `c${agentStep}`, name: 'look', arguments: `{"n":${agentStep}}` }] };
    const agents = [agentSnapshot('writer', { maxSteps: 3, tools: ['look'], profile: 'contract', outputMarkers: ['X'] })];
    const parts = { agents, nodes: { writer: { review: reviewPoint('draft') } } };
    const first: World['model'] = (call) => (call.agentStep === 1 ? { content: 'X first' } : model(call));
    expect(endOf(play(parts, { model: first, reviewer: saying(changes('more')) }))).not.toMatchObject({
      output: 'X first',
      phase: 'Succeeded',
    });
  });

  test('relays a tool again where the first tool is the answer', () => {
    const model: World['model'] = ({ agentStep }) => ({
      toolCalls: [{ id: `c${agentStep}`, name: 'look', arguments: `{"n":${agentStep}}` }],
    });
    const agents = [agentSnapshot('writer', { tools: ['look'], toolUse: 'stop_on_first_tool' })];
    const tool: World['tool'] = ({ input }) => JSON.stringify(input);
    const run = play({ agents, nodes: { writer: { review: reviewPoint('draft') } } }, { model, tool, reviewer: saying(changes('other')) });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: '{"n":2}' });
  });

  test('keeps the route that was chosen before, unless the new answer chooses another', () => {
    const agents = ['writer', 'left', 'right'].map((name) => agentSnapshot(name));
    const nodes = { writer: { routes: [route('left', { route: 'l' }), route('right', { route: 'r' })], review: reviewPoint('draft') } };
    const choose = { toolCalls: [{ id: 'c', name: 'route.choose', arguments: '{"route":"l"}' }] };
    const last = (answers: string) => (call: Parameters<World['model']>[0]) =>
      call.agent !== 'writer' ? counting(call) : call.agentStep === 1 ? choose : { content: call.agentStep === 2 ? 'first' : answers };
    const kept = play({ agents, nodes }, { model: last('second'), reviewer: saying(changes('x')) });
    const other = play({ agents, nodes }, { model: last('second\n{"route":"r"}'), reviewer: saying(changes('x')) });
    expect([endOf(kept).output, endOf(other).output]).toEqual(['left 1', 'right 1']);
  });

  test('keeps the comment in the conversation when the model fails and is retried', () => {
    const messageRetry = { maxAttempts: 3, backoffMs: 10, maxBackoffMs: 100, jitter: 'none', nonRetryable: [], inherited: false } as const;
    let failed = false;
    const model: World['model'] = (call) => {
      if (call.agentStep === 2 && !failed) {
        failed = true;
        return new SimulatedFailure('execution_failed', true);
      }
      const said = call.messages.some(({ content }) => content.includes('shorter'));
      return { content: said ? 'short' : 'long' };
    };
    const run = play({ ...two, task: { messageRetry } }, { model, reviewer: saying(changes('shorter')) });
    expect(ofType(run.journal, 'agent.completed')[0]?.data.output).toBe('short');
    expect(ofType(run.journal, 'review.requested').map(({ data }) => data.review_cycle)).toEqual([1, 2]);
  });
});

test('the time a person takes does not count against the timeout of the agent', () => {
  const agents = [agentSnapshot('writer', { timeoutMs: 500 })];
  const parts = { agents, nodes: { writer: { review: reviewPoint('draft') } } };
  const state = until(parts, { model: counting }, 'review.requested');
  const [{ name = '' } = {}] = openReviews(state);
  expect(settleWith(state, {}, { now: 90_000, random: () => 0.5, worker: 'w' }).decision).toMatchObject({ kind: 'perform' });
  const back = resolveReview(state, { name, ...changes('again') }, 90_000);
  if (back) applyEntry(state, back);
  const { decision } = settleWith(state, {}, { now: 90_000, random: () => 0.5, worker: 'w' });
  expect(decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'model' }], wakeAt: 90_500 });
});

test('several branches wait for reviews at once; the join behind them runs when all are through', () => {
  const agents = ['a', 'b', 'end'].map((name) => agentSnapshot(name));
  const nodes = {
    a: { routes: [route('end')], review: reviewPoint('a-draft') },
    b: { routes: [route('end')], review: reviewPoint('b-draft') },
  };
  const said: string[] = [];
  const reviewer: World['reviewer'] = ({ tag }) => {
    said.push(tag.checkpoint_id);
    return { decision: 'approved' };
  };
  const run = play({ agents, nodes }, { model: counting, reviewer });
  const types = run.journal.map(({ type }) => type);
  expect(types.indexOf('review.resolved')).toBeGreaterThan(types.lastIndexOf('review.requested'));
  expect(said).toEqual(['a-draft', 'b-draft']);
  expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'end 1' });
});

describe('the output of the whole task', () => {
  const completion: SnapshotParts = {
    agents: [agentSnapshot('writer'), agentSnapshot('sender')],
    nodes: { writer: { routes: [route('sender')] } },
    completionReview: reviewPoint('final'),
  };

  test('is the approved text, from the agent that wrote it', () => {
    const run = play(completion, { model: counting });
    const [asked] = ofType(run.journal, 'review.requested');
    expect(asked?.data).toMatchObject({
      checkpoint_type: 'task_output',
      checkpoint_id: 'final',
      agent: 'sender',
      output: 'sender 1',
      review_cycle: 1,
    });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'sender 1' });
  });

  test('waits without anything in flight', () => {
    const state = until(completion, { model: counting }, 'review.requested');
    const { decision } = settleWith(state, {}, { now: 9_000_000, random: () => 0.5, worker: 'w' });
    expect(decision).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
  });

  test.each<[Word, string]>([
    [{ decision: 'denied' }, 'approval_denied'],
    [{ decision: 'expired' }, 'approval_timeout'],
  ])('%j ends the Task as Failed, with the output that was not approved', (word, code) => {
    expect(endOf(play(completion, { model: counting, reviewer: saying(word) }))).toEqual({ phase: 'Failed', code, output: 'sender 1' });
  });

  test('a task output that is sent back is continued by the same turn, in the same branch', () => {
    const run = play(completion, { model: counting, reviewer: saying(changes('shorter'), changes('again')) });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'sender 3' });
    const turns = ofType(run.journal, 'agent.completed').filter(({ data }) => data.agent === 'sender');
    expect(new Set(turns.map(({ data }) => `${data.turn_id} ${data.branch_id}`)).size).toBe(1);
    expect(ofType(run.journal, 'review.requested').map(({ data }) => data.review_cycle)).toEqual([1, 2, 3]);
    expect(new Set(run.performed).size).toBe(run.performed.length);
  });

  test('may lead on to other agents when it comes back, even where they have run before', () => {
    const agents = ['writer', 'helper'].map((name) => agentSnapshot(name));
    const nodes = { writer: { routes: [route('helper', { route: 'help' })] }, helper: { routes: [] } };
    let answers = 0;
    const model: World['model'] = (call) => {
      if (call.agent === 'helper') return counting(call);
      answers += 1;
      return { content: answers === 2 ? 'ask\n{"route":"help"}' : 'alone' };
    };
    const run = play(
      { agents, nodes, completionReview: reviewPoint('final'), entrypoints: ['writer'] },
      { model, reviewer: saying(changes('get help')) },
    );
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded', output: 'helper 1' });
    expect(ofType(run.journal, 'review.requested').map(({ data }) => data.agent)).toEqual(['writer', 'helper']);
  });

  test('a task output is reviewed after the reviews of its agent, whose cycles restart when it is sent back', () => {
    const nodes = { writer: { routes: [route('sender')] }, sender: { routes: [], review: reviewPoint('own') } };
    const words = saying(changes('1'), { decision: 'approved' }, changes('2'));
    const run = play({ ...completion, nodes }, { model: counting, reviewer: words });
    const asked = ofType(run.journal, 'review.requested').map(({ data }) => [data.checkpoint_id, data.review_cycle, data.output]);
    expect(asked).toEqual([
      ['own', 1, 'sender 1'],
      ['own', 2, 'sender 2'],
      ['final', 1, 'sender 2'],
      ['own', 1, 'sender 3'],
      ['final', 2, 'sender 3'],
    ]);
    const names = ofType(run.journal, 'review.requested').map(({ data }) => data.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('an output of a retried attempt is reviewed once, at the last attempt', () => {
    let tries = 0;
    const model: World['model'] = (call) => {
      tries += call.agent === 'sender' ? 1 : 0;
      return call.agent === 'sender' && tries === 1 ? new SimulatedFailure('execution_failed', true) : counting(call);
    };
    const run = play({ ...completion, task: { retry: { maxAttempts: 2, backoffMs: 0 } } }, { model });
    expect(endOf(run)).toMatchObject({ phase: 'Succeeded' });
    expect(ofType(run.journal, 'review.requested').map(({ data }) => data.attempt)).toEqual([2]);
  });
});

test('a cancel ends a run that waits for a review, and closes the review', () => {
  const state = until(two, { model: counting }, 'review.requested');
  applyEntry(state, { type: 'cancel.requested', at: 5_000, data: { by: 'ann', reason: 'enough' } });
  expect(settleWith(state, {}, { now: 5_000, random: () => 0.5, worker: 'w' }).decision).toEqual({ kind: 'finished' });
  expect(openReviews(state)).toEqual([]);
});
