// Rules of runs as tables: answers of models and tools, and the next decision.
import { describe, expect, test } from 'vitest';
import {
  agentSnapshot,
  joinPolicy,
  runSnapshot,
  simulate,
  SimulatedFailure,
  type SnapshotParts,
  type World,
} from '../../testing/simulate-run.ts';
import type { ChatMessage, ToolCallRequest } from '../ports.ts';
import type { DataOf, Entry, EntryType } from './entries.ts';
import type { AgentSnapshot, Route } from './snapshot.ts';

const call = (id: string, name: string, input: unknown = {}): ToolCallRequest => ({ id, name, arguments: JSON.stringify(input) });
const route = (to: string, extra: Partial<Route> = {}): Route => ({ to, labels: {}, condition: { kind: 'success' }, ...extra });

function run(parts: SnapshotParts, world: World) {
  const { journal, state } = simulate(runSnapshot(parts), { world });
  return { journal, state, end: state.end, output: state.end?.output ?? {}, types: journal.map(({ type }) => type) };
}

const one = (agent: Partial<AgentSnapshot>, world: World) => run({ agents: [agentSnapshot('solo', agent)] }, world);
const ofType = <T extends EntryType>(journal: readonly Entry[], type: T): DataOf<T>[] =>
  journal.flatMap((entry) => (entry.type === type ? [entry.data as DataOf<T>] : []));
const agentsRun = (journal: readonly Entry[]) => ofType(journal, 'agent.started').map(({ agent }) => agent);

describe('the step loop', () => {
  test('reaching max_steps without an answer is a failure, never a success', () => {
    const { end, journal } = one(
      { tools: ['t'], maxSteps: 3 },
      { model: ({ agentStep }) => ({ toolCalls: [call('c', 't', { agentStep })] }) },
    );
    expect(end).toMatchObject({ phase: 'Failed', failure: { code: 'max_steps_reached', retryable: false } });
    expect(ofType(journal, 'model.requested')).toHaveLength(3);
  });

  test.each([
    ['length', ' (it ended with length: raise max_tokens)'],
    ['load', ' (it ended with load)'],
    ['stop', ''],
  ])('an empty answer that ended with %s names the end', (finishReason, end) => {
    const { failure } = one({}, { model: () => ({ content: '', finishReason }) }).end as { failure: { message: string } };
    expect(failure.message).toBe(`the model of agent solo answered with neither text nor tool calls${end}`);
  });

  test('the state of a provider goes back with the answer that it came with', () => {
    const seen: (readonly ChatMessage[])[] = [];
    one(
      { tools: ['t'] },
      {
        model: ({ agentStep, messages }) => {
          seen.push([...messages]);
          if (agentStep === 3) return { content: 'done' };
          return { toolCalls: [call(`c${agentStep}`, 't', { agentStep })], ...(agentStep === 1 && { providerState: { state: 'signed' } }) };
        },
      },
    );
    const answers = seen.at(-1)?.filter(({ role }) => role === 'assistant') ?? [];
    expect(answers[0]).toMatchObject({ toolCalls: [{ id: 'c1' }], providerState: { state: 'signed' } });
    expect(answers[1]).not.toHaveProperty('providerState');
  });

  test('an empty answer is empty_output', () => {
    expect(one({}, { model: () => ({ content: ' ' }) }).end).toMatchObject({ phase: 'DeadLetter', failure: { code: 'empty_output' } });
  });

  test('an unknown tool and broken arguments go back to the model as typed errors', () => {
    const { journal, end } = one(
      { tools: ['t'] },
      {
        model: ({ agentStep }) =>
          agentStep === 1
            ? { toolCalls: [call('a', 'x'), { id: 'b', name: 't', arguments: '[1]' }, call('c', '__proto__'), call('d', 'constructor')] }
            : { content: 'sorry' },
      },
    );
    expect(ofType(journal, 'tool.failed').map(({ call_id, code }) => [call_id, code])).toEqual([
      ['a', 'unsupported_tool'],
      ['b', 'invalid_input'],
      ['c', 'unsupported_tool'],
      ['d', 'unsupported_tool'],
    ]);
    expect(end).toMatchObject({ phase: 'Succeeded' });
  });

  test('arguments nested too deeply to be walked, or too long for a person to approve, go back to the model', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const texts: [string, string][] = [
      ['60', nested(60)],
      ['50000', nested(50_000)],
      ['long', JSON.stringify({ a: 'x'.repeat(1024 * 1024) })],
    ];
    const calls = texts.map(([id, text]) => ({ id, name: 't', arguments: text }));
    const { journal, end } = one(
      { tools: ['t'] },
      { model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: calls } : { content: 'ok' }) },
    );
    expect(ofType(journal, 'tool.requested').map(({ call_id }) => call_id)).toEqual(['60']);
    expect(ofType(journal, 'tool.failed').map(({ call_id, code }) => [call_id, code])).toEqual([
      ['50000', 'invalid_input'],
      ['long', 'invalid_input'],
    ]);
    expect(end).toMatchObject({ phase: 'Succeeded' });
  });

  test('the error of a failed tool goes back to the model, a denied call ends the task', () => {
    const world = (code: string): World => ({
      model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [call('a', 't')] } : { content: 'done' }),
      tool: () => new SimulatedFailure(code, false),
    });
    expect(one({ tools: ['t'] }, world('execution_failed')).end).toMatchObject({ phase: 'Succeeded' });
    expect(one({ tools: ['t'] }, world('permission_denied')).end).toMatchObject({
      phase: 'Failed',
      failure: { code: 'permission_denied' },
    });
  });

  test.each([
    ['short_circuit', 'tool.completed', 'cache'],
    ['deny', 'tool.failed', undefined],
  ] as const)('a duplicate call under %s runs the tool once', (duplicateToolCalls, type, source) => {
    const { journal } = one(
      { tools: ['t'], duplicateToolCalls },
      {
        model: ({ agentStep }) =>
          agentStep < 3
            ? { toolCalls: [call(`c${agentStep}`, 't', agentStep === 1 ? { a: 1, b: 2 } : { b: 2, a: 1 })] }
            : { content: 'done' },
      },
    );
    expect(ofType(journal, 'tool.requested')).toHaveLength(1);
    expect(ofType(journal, type).at(-1)).toMatchObject({ call_id: 'c2', ...(source && { source }) });
  });

  test('equal calls of one step run the tool once', () => {
    const { journal } = one(
      { tools: ['t'] },
      { model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [call('a', 't'), call('b', 't')] } : { content: 'done' }) },
    );
    expect(ofType(journal, 'tool.completed').map(({ call_id, source }) => [call_id, source])).toEqual([
      ['a', 'tool'],
      ['b', 'cache'],
    ]);
  });

  test('stop_on_first_tool makes the tool output the final one', () => {
    const { output, journal } = one(
      { tools: ['t'], toolUse: 'stop_on_first_tool' },
      { model: () => ({ toolCalls: [call('a', 't')] }), tool: () => 'relayed' },
    );
    expect(output).toMatchObject({ last_output: 'relayed', last_tool_calls: '1' });
    expect(ofType(journal, 'model.requested')).toHaveLength(1);
  });
});

describe('stop_on_first_tool', () => {
  test.each([0, 1])('relays the first call the model requested, in any order of completion (%i)', (first) => {
    const agent = agentSnapshot('solo', { tools: ['t'], toolUse: 'stop_on_first_tool' });
    const world: World = {
      model: () => ({ toolCalls: [call('a', 't', { n: 1 }), call('b', 't', { n: 2 })] }),
      tool: ({ input }) => `relayed ${JSON.stringify(input)}`,
    };
    const { state } = simulate(runSnapshot({ agents: [agent] }), { world, pick: () => first });
    expect(state.end?.output).toMatchObject({ last_output: 'relayed {"n":1}', last_tool_calls: '2' });
  });
});

describe('the contract profile', () => {
  const contract = { profile: 'contract', toolSequence: ['t'], tools: ['t'], outputMarkers: ['DONE'], maxSteps: 3 } as const;

  test('an answer that keeps the contract ends the turn', () => {
    const { end } = one(contract, { model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [call('a', 't')] } : { content: 'DONE' }) });
    expect(end).toMatchObject({ phase: 'Succeeded' });
  });

  test('missing markers at max_steps only warn once all tools are done', () => {
    const { end, types } = one(contract, {
      model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [call('a', 't')] } : { content: 'finished' }),
    });
    expect(end).toMatchObject({ phase: 'Succeeded', output: { last_output: 'finished' } });
    expect(types).toContain('contract.warned');
  });

  test.each([
    ['observe', 'Succeeded'],
    ['non_retryable_error', 'DeadLetter'],
  ] as const)('missing tools under %s end as %s', (onContractViolation, phase) => {
    const { end, types } = one({ ...contract, onContractViolation }, { model: () => ({ content: 'DONE' }) });
    expect(end).toMatchObject({ phase });
    expect(types).toContain('contract.violated');
  });
});

describe('routes', () => {
  const agents = ['a', 'b', 'c'].map((name) => agentSnapshot(name));

  test('labels of the last line choose the route, and one route stays in its branch', () => {
    const nodes = { a: { routes: [route('b', { labels: { route: 'left' } }), route('c', { labels: { route: 'right' } })] } };
    const { journal } = run({ agents, nodes }, { model: ({ agent }) => ({ content: agent === 'a' ? 'so\n{"route":"right"}' : 'ok' }) });
    expect(ofType(journal, 'agent.started').map(({ agent, branch_id }) => [agent, branch_id])).toEqual([
      ['a', 'b001'],
      ['c', 'b001'],
    ]);
  });

  test('route.choose sets labels without touching a tool', () => {
    const nodes = { a: { routes: [route('b', { labels: { lane: 'x' } }), route('c', { labels: { lane: 'y' } })] } };
    const { journal } = run(
      { agents, nodes },
      {
        model: ({ agent, agentStep }) =>
          agent === 'a' && agentStep === 1 ? { toolCalls: [call('r', 'route.choose', { route: { lane: 'x' } })] } : { content: 'ok' },
      },
    );
    expect(agentsRun(journal)).toEqual(['a', 'b']);
  });

  test.each([[{ route: 5 }], [{ route: {} }], [{}]])('route.choose with %j is answered with what it has to be', (input) => {
    const nodes = { a: { routes: [route('b', { labels: { lane: 'x' } })] } };
    const model: World['model'] = ({ agentStep }) =>
      agentStep === 1 ? { toolCalls: [call('r', 'route.choose', input)] } : { content: 'ok' };
    const { journal } = run({ agents: agents.slice(0, 2), nodes }, { model });
    expect(ofType(journal, 'tool.failed').map(({ message }) => message)).toEqual([
      expect.stringContaining('a string or an object of labels'),
    ]);
  });

  test('an output too long for the patterns of its edges fails the turn', () => {
    const pattern = '((a|b){20}){20}[cd]';
    const nodes = { a: { routes: [route('b', { condition: { kind: 'output_matches', pattern } })] } };
    const began = process.cpuUsage();
    const { end } = run({ agents, nodes }, { model: () => ({ content: 'ab'.repeat(100_000) }) });
    expect(end).toMatchObject({ failure: { code: 'output_too_long' } });
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });

  test('output_matches and on_error choose by the result', () => {
    const nodes = {
      a: {
        routes: [route('b', { condition: { kind: 'output_matches', pattern: '^yes' } }), route('c', { condition: { kind: 'on_error' } })],
      },
    };
    const answer = (content: string): World => ({ model: ({ agent }) => ({ content: agent === 'a' ? content : 'ok' }) });
    expect(agentsRun(run({ agents, nodes }, answer('yes, go')).journal)).toEqual(['a', 'b']);
    expect(agentsRun(run({ agents, nodes }, answer('no')).journal)).toEqual(['a']);
    const failing: World = { model: ({ agent }) => (agent === 'a' ? new SimulatedFailure('auth_invalid', false) : { content: 'ok' }) };
    const failed = run({ agents, nodes }, failing);
    expect(agentsRun(failed.journal)).toEqual(['a', 'c']);
    expect(failed.end).toMatchObject({ phase: 'Succeeded' });
  });

  test('a cycle ends at max_turns with its last output', () => {
    const nodes = { a: { routes: [route('b')] }, b: { routes: [route('a')] } };
    const { journal, end } = run(
      { agents: agents.slice(0, 2), nodes, entrypoints: ['a'], task: { maxTurns: 5 } },
      { model: ({ agent }) => ({ content: agent }) },
    );
    expect(agentsRun(journal)).toEqual(['a', 'b', 'a', 'b', 'a']);
    expect(end).toMatchObject({ phase: 'Succeeded', output: { last_output: 'a' } });
    expect(journal.flatMap((entry) => (entry.type === 'agent.completed' ? [entry.data.turns_exhausted] : [])).at(-1)).toBe(true);
  });

  test('a last agent whose turn is the last one allowed ends its branch by itself', () => {
    const nodes = { a: { routes: [route('b')] }, b: { routes: [route('a', { labels: { again: 'yes' } })] } };
    const { journal } = run(
      { agents: agents.slice(0, 2), nodes, entrypoints: ['a'], task: { maxTurns: 2 } },
      { model: ({ agent }) => ({ content: agent }) },
    );
    expect(agentsRun(journal)).toEqual(['a', 'b']);
    expect(journal.some((entry) => entry.type === 'agent.completed' && entry.data.turns_exhausted)).toBe(false);
  });
});

describe('joins', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const agents = names.map((name) => agentSnapshot(name));
  const fan = (join = joinPolicy()) => ({
    a: { routes: ['b', 'c', 'd'].map((to) => route(to)) },
    b: { routes: [route('e')] },
    c: { routes: [route('e')] },
    d: { routes: [route('e')] },
    e: { routes: [], join },
  });
  const failing = (...bad: string[]): World => ({
    model: ({ agent }) => (bad.includes(agent) ? new SimulatedFailure('execution_failed', false) : { content: agent }),
  });

  test.each([
    ['wait_for_all', joinPolicy(), [], 'Succeeded', 3],
    ['quorum of 2', joinPolicy({ mode: 'quorum', quorumCount: 2 }), [], 'Succeeded', 2],
    ['quorum of 50 %', joinPolicy({ mode: 'quorum', quorumPercent: 50 }), [], 'Succeeded', 2],
    ['quorum above the sources', joinPolicy({ mode: 'quorum', quorumCount: 9 }), [], 'Succeeded', 3],
    ['deadletter', joinPolicy(), ['c'], 'DeadLetter', undefined],
    ['skip', joinPolicy({ onFailure: 'skip' }), ['c'], 'Succeeded', 2],
    ['skip of all', joinPolicy({ onFailure: 'skip' }), ['b', 'c', 'd'], 'Succeeded', undefined],
    ['continue_partial', joinPolicy({ onFailure: 'continue_partial' }), ['c'], 'Succeeded', 2],
    ['a quorum that can still be met', joinPolicy({ mode: 'quorum', quorumCount: 2 }), ['b'], 'Succeeded', 2],
  ] as const)('%s', (_, join, bad, phase, inbox) => {
    const { journal, end } = run({ agents, nodes: fan(join) }, failing(...bad));
    expect(end).toMatchObject({ phase });
    expect(ofType(journal, 'join.released')[0]?.message_ids.length).toBe(inbox);
    expect(agentsRun(journal).filter((agent) => agent === 'e')).toHaveLength(inbox === undefined ? 0 : 1);
  });

  test('continue_partial runs the node once all sources have settled, a quorum met before notwithstanding', () => {
    const join = joinPolicy({ mode: 'quorum', quorumCount: 1, onFailure: 'continue_partial' });
    const { journal, end } = run({ agents, nodes: fan(join) }, failing('b'));
    expect(end).toMatchObject({ phase: 'Succeeded' });
    const [released, ...more] = ofType(journal, 'join.released');
    expect(released?.sources.map(({ agent, state }) => `${agent} ${state}`)).toEqual(['b failed', 'c arrived', 'd arrived']);
    expect(more).toEqual([]);
  });

  test('without a failure continue_partial leaves a quorum what it is: the node runs as soon as it is met', () => {
    const join = joinPolicy({ mode: 'quorum', quorumCount: 2, onFailure: 'continue_partial' });
    const { journal } = run({ agents, nodes: fan(join) }, failing('d'));
    const [released] = ofType(journal, 'join.released');
    expect(released?.sources.map(({ agent, state }) => `${agent} ${state}`)).toEqual(['b arrived', 'c arrived', 'd pending']);
  });

  test('a failed source that skip leaves out is not in the inbox', () => {
    const seen: string[] = [];
    const base = failing('c');
    const model: World['model'] = (request) => (seen.push(`${request.agent}: ${request.user}`), base.model(request));
    run({ agents, nodes: fan(joinPolicy({ onFailure: 'skip' })) }, { model });
    expect(seen.at(-1)).toMatch(/^e: /);
    expect(seen.at(-1)).not.toContain('failed');
  });

  test('a join declared on a node with one source decides how its failure is handled', () => {
    const nodes = { a: { routes: [route('b')] }, b: { routes: [route('c')] }, c: { routes: [], join: joinPolicy({ onFailure: 'skip' }) } };
    const { journal, end } = run({ agents: agents.slice(0, 3), nodes }, failing('b'));
    expect(agentsRun(journal)).toEqual(['a', 'b']);
    // No branch reached its own end: the output is that of the last agent that completed.
    expect(end).toMatchObject({ phase: 'Succeeded', output: { last_agent: 'a', last_output: 'a' } });
  });

  test('a join behind a route for errors that was not taken does not take a failure over', () => {
    const nodes = {
      b: { routes: [route('c'), route('d', { labels: { lane: 'x' }, condition: { kind: 'on_error' } })] },
      d: { routes: [], join: joinPolicy({ onFailure: 'skip' }) },
    };
    const { end } = run({ agents: agents.slice(1, 4), nodes }, failing('b'));
    expect(end).toMatchObject({ phase: 'Failed', failure: { code: 'execution_failed' } });
  });

  test.each([
    ['an agent', { a: fan().a }, ['c'], 'c'],
    ['a join', fan(), ['c'], 'c'],
  ])('a run that fails at %s has no output of another branch', (_, nodes, bad, agent) => {
    const { end } = run({ agents, nodes }, failing(...bad));
    expect(end).toMatchObject({ output: { last_output: '', last_agent: agent } });
    expect(end?.phase).not.toBe('Succeeded');
  });

  test('a join that feeds another one is waited for', () => {
    const nodes = {
      a: { routes: [route('e'), route('d')] },
      b: { routes: [route('d')] },
      d: { routes: [route('e')] },
    };
    const { journal } = run({ agents: agents.filter(({ name }) => name !== 'c'), nodes, entrypoints: ['a', 'b'] }, failing());
    expect(agentsRun(journal)).toEqual(['a', 'b', 'd', 'e']);
    expect(ofType(journal, 'join.released').map(({ node, message_ids }) => [node, message_ids.length])).toEqual([
      ['d', 2],
      ['e', 2],
    ]);
  });

  test('a join of unrelated branches continues in the first of them', () => {
    const nodes = { b: { routes: [route('d')] }, c: { routes: [route('d')] } };
    const { journal } = run({ agents: agents.slice(0, 4), nodes, entrypoints: ['a', 'b', 'c'] }, failing());
    expect(ofType(journal, 'join.released').map(({ branch_id }) => branch_id)).toEqual(['b002']);
  });

  test('each message that arrives at a join which has to wait is recorded once, with the sources that are missing', () => {
    const { journal } = run({ agents, nodes: fan() }, failing());
    expect(ofType(journal, 'join.waiting')).toMatchObject([
      { node: 'e', source: 'b', arrived: 1, expected: 3, quorum_required: 3, waits_for: ['c', 'd'] },
      { node: 'e', source: 'c', arrived: 2, expected: 3, quorum_required: 3, waits_for: ['d'] },
    ]);
    const order = journal.flatMap(({ type, data }) => ('node' in data ? [type] : []));
    expect(order).toEqual(['join.waiting', 'join.waiting', 'join.released']);
  });

  test('a join that a message completes at once records no wait', () => {
    const nodes = { a: { routes: [route('b')] }, b: { routes: [], join: joinPolicy() } };
    const { journal } = run({ agents: agents.slice(0, 2), nodes }, failing());
    expect(ofType(journal, 'join.waiting')).toEqual([]);
  });

  test('a failed source hands over no message, so it records no wait', () => {
    const { journal } = run({ agents, nodes: fan(joinPolicy({ onFailure: 'continue_partial' })) }, failing('b'));
    expect(ofType(journal, 'join.waiting').map(({ source }) => source)).toEqual(['c']);
    expect(ofType(journal, 'join.released')).toHaveLength(1);
  });

  test('messages that arrive after a quorum are skipped', () => {
    const { journal } = run({ agents, nodes: fan(joinPolicy({ mode: 'quorum', quorumCount: 1 })) }, failing());
    expect(ofType(journal, 'message.skipped')).toHaveLength(2);
  });

  test('a route that is not taken is not waited for', () => {
    const nodes = {
      a: { routes: [route('b', { labels: { route: 'b' } }), route('c', { labels: { route: 'c' } })] },
      b: { routes: [route('d')] },
      c: { routes: [route('d')] },
    };
    const { journal, end } = run({ agents: agents.slice(0, 4), nodes }, { model: () => ({ content: '{"route":"b"}' }) });
    expect(agentsRun(journal)).toEqual(['a', 'b', 'd']);
    expect(end).toMatchObject({ phase: 'Succeeded' });
  });

  test('the inbox of continue_partial lists the failed sources', () => {
    const seen: string[] = [];
    const base = failing('c');
    run(
      { agents, nodes: fan(joinPolicy({ onFailure: 'continue_partial' })) },
      {
        model: (request) => {
          if (request.agent === 'e') seen.push(request.user);
          return base.model(request);
        },
      },
    );
    expect(seen).toEqual([expect.stringContaining('# c failed\nexecution_failed')]);
    expect(seen[0]).toContain('# From b\nb');
  });
});

describe('retries', () => {
  const retry = { maxAttempts: 3, backoffMs: 100, maxBackoffMs: 150, jitter: 'none', nonRetryable: [], inherited: false } as const;
  const flaky: World = { model: () => new SimulatedFailure('rate_limited', true) };

  test('a message is retried with doubling, capped waits, then dead-lettered', () => {
    const { journal, end } = run({ agents: [agentSnapshot('a')], task: { messageRetry: retry } }, flaky);
    const failed = journal.flatMap((entry) => (entry.type === 'agent.failed' ? [{ at: entry.at, ...entry.data.disposition }] : []));
    expect(failed.map((each) => (each.kind === 'retry' ? each.next_attempt_at - each.at : each.kind))).toEqual([100, 150, 'fatal']);
    expect(end).toMatchObject({ phase: 'DeadLetter' });
  });

  test.each([
    ['code', 'rate_limited'],
    ['part of the message', 'simulated rate'],
  ])('a %s in non_retryable ends the message at once as Failed', (_, word) => {
    const { journal, end } = run({ agents: [agentSnapshot('a')], task: { messageRetry: { ...retry, nonRetryable: [word] } } }, flaky);
    expect(ofType(journal, 'model.failed')).toHaveLength(1);
    expect(end).toMatchObject({ phase: 'Failed', failure: { code: 'rate_limited' } });
  });

  test.each(['', 'Rate', 'rate_limited_by'])('the word "%s" in non_retryable names no failure', (word) => {
    const { journal } = run({ agents: [agentSnapshot('a')], task: { messageRetry: { ...retry, nonRetryable: [word] } } }, flaky);
    expect(ofType(journal, 'model.failed')).toHaveLength(3);
  });

  test('without a budget of its own a message is retried by the next attempt of the task', () => {
    const task = { retry: { maxAttempts: 3, backoffMs: 100 }, messageRetry: { ...retry, inherited: true } };
    const { journal, end } = run({ agents: [agentSnapshot('a')], task }, flaky);
    expect(ofType(journal, 'run.started').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(ofType(journal, 'model.failed')).toHaveLength(3);
    expect(end).toMatchObject({ phase: 'DeadLetter' });
  });

  const quorum = { mode: 'quorum', quorumCount: 1 } as const;
  test.each([
    ['an on_error route', { routes: [route('c', { condition: { kind: 'on_error' } })] }, {}, [3]],
    ['a join that skips', { routes: [route('c')] }, { onFailure: 'skip' }, [3]],
    ['a join that continues', { routes: [route('c')] }, { onFailure: 'continue_partial' }, [3]],
    ['a quorum within reach', { routes: [route('c')] }, quorum, [3]],
    ['a join that needs it', { routes: [route('c')] }, {}, [1, 1, 1]],
  ] as const)('a failure taken over by %s leaves no attempt, so its message is tried within this one', (_, b, join, tries) => {
    const agents = ['a', 'b', 'd', 'c'].map((name) => agentSnapshot(name));
    const nodes = { a: { routes: [route('b'), route('d')] }, b, d: { routes: [route('c')] }, c: { join: joinPolicy(join) } };
    const task = { retry: { maxAttempts: 3, backoffMs: 100 }, messageRetry: { ...retry, inherited: true } };
    const { journal, end } = run(
      { agents, nodes, task },
      { model: ({ agent }) => (agent === 'b' ? new SimulatedFailure('rate_limited', true) : { content: agent }) },
    );
    const failed = ofType(journal, 'agent.failed').map(({ attempt }) => attempt);
    expect([...new Set(failed)].map((attempt) => failed.filter((each) => each === attempt).length)).toEqual(tries);
    expect(end?.phase).toBe(tries.length === 1 ? 'Succeeded' : 'DeadLetter');
  });

  test('earlier attempts count against the tries that a budget of the task leaves', () => {
    const task = { retry: { maxAttempts: 3, backoffMs: 100 }, messageRetry: { ...retry, inherited: true } };
    const agents = ['a', 'b', 'c'].map((name) => agentSnapshot(name));
    const nodes = { a: { routes: [route('b'), route('c', { condition: { kind: 'on_error' } })] } };
    const { journal } = run(
      { agents, nodes, task },
      { model: ({ agent, attempt }) => (agent === 'b' || attempt > 1 ? new SimulatedFailure('rate_limited', true) : { content: agent }) },
    );
    expect(ofType(journal, 'agent.failed').map(({ agent, attempt }) => `${agent}${attempt}`)).toEqual(['b1', 'a2', 'a2', 'c2', 'a3', 'c3']);
  });
});
