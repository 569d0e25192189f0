// Loops of a graph: the rounds of their joins, and the ids of their branches.
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
import type { DataOf, Entry, EntryType } from './entries.ts';
import type { Route } from './snapshot.ts';

const route = (to: string, extra: Partial<Route> = {}): Route => ({ to, labels: {}, condition: { kind: 'success' }, ...extra });

function run(parts: SnapshotParts, world: World) {
  const { journal, state } = simulate(runSnapshot(parts), { world });
  return { journal, output: state.end?.output };
}

const ofType = <T extends EntryType>(journal: readonly Entry[], type: T): DataOf<T>[] =>
  journal.flatMap((entry) => (entry.type === type ? [entry.data as DataOf<T>] : []));

describe('a quorum of a cycle', () => {
  /** The join leads back; in the first round only `p` sends to it, in the second only `q`. */
  const rounds = (q: World['model']): [SnapshotParts, World] => [
    {
      agents: ['a', 'p', 'q', 'h', 'j'].map((name) => agentSnapshot(name)),
      nodes: {
        a: { routes: [route('p'), route('q')] },
        p: { routes: [route('j', { labels: { route: 'j' } })] },
        q: { routes: [route('j', { labels: { route: 'j' } }), route('h', { condition: { kind: 'on_error' } })] },
        j: { routes: [route('a', { labels: { route: 'again' } })], join: joinPolicy({ mode: 'quorum', quorumCount: 1 }) },
      },
      entrypoints: ['a'],
      task: { maxTurns: 9 },
    },
    {
      model: (request) => {
        const { agent, user } = request;
        const second = user.includes('round 2');
        if (agent === 'a') return { content: user.includes('again') ? 'round 2' : 'round 1' };
        if (agent === 'p') return { content: `from p\n{"route":"${second ? 'none' : 'j'}"}` };
        if (agent === 'q') return second ? { content: 'from q\n{"route":"j"}' } : q(request);
        return { content: user.includes('from q') ? 'final with q' : '{"route":"again"}' };
      },
    },
  ];
  test.each([
    ['takes another route', { content: '{"route":"none"}' }],
    ['is handed over', new SimulatedFailure('execution_failed', false)],
  ])('a source that %s before a quorum of a cycle is awaited in its next round', (_, q) => {
    const { journal, output } = run(...rounds(() => q));
    expect(ofType(journal, 'message.skipped')).toEqual([]);
    expect(output).toMatchObject({ last_output: 'final with q' });
  });

  test('a message of an earlier round of a cycle is late, however late it arrives', () => {
    const [parts, world] = rounds(() => ({ content: 'slow\n{"route":"j"}' }));
    // The first turn of `q` ends last.
    const pick = (count: number) => count - 1;
    const { p, q } = parts.nodes ?? {};
    const nodes = { ...parts.nodes, a: { routes: [route('q'), route('p')] }, ...(p && q && { p, q }) };
    const { journal } = simulate(runSnapshot({ ...parts, nodes }), { world, pick });
    const sent = ofType(journal, 'agent.completed').findLast(({ agent }) => agent === 'q');
    expect(sent?.output).toContain('slow');
    expect(ofType(journal, 'message.skipped').map(({ message_id }) => message_id)).toEqual(
      sent?.hand_overs.map(({ message_id }) => message_id),
    );
  });
});

describe('branches of a loop that fans out', () => {
  const agents = ['a', 'b'].map((name) => agentSnapshot(name));
  const loop = { a: { routes: [route('a'), route('b')] } };
  const place = { entrypoints: ['a'], task: { maxTurns: 40 } };

  test('name their ancestors up to a depth, and have short ids of their own behind it', () => {
    const { journal } = run({ agents, nodes: loop, ...place }, { model: ({ agent }) => ({ content: agent }) });
    const made = ofType(journal, 'agent.completed').flatMap(({ hand_overs }) => hand_overs);
    const ids = made.map(({ branch_id }) => branch_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 4)).toEqual(['b001.001', 'b001.002', 'b001.001.001', 'b001.001.002']);
    expect(Math.max(...ids.map(({ length }) => length))).toBe(64);
    expect(ids.at(-1)).toMatch(/^b001\.~[0-9a-f]{16}$/);
    expect(made.every(({ parent_branch_id: parent = '' }) => parent === 'b001' || ids.includes(parent))).toBe(true);
  });

  test('are joined in the deepest branch that they share', () => {
    const nodes = {
      a: {
        routes: [
          route('a', { labels: { route: 'on' } }),
          route('b', { labels: { route: 'on' } }),
          ...['c', 'd'].map((to) => route(to, { labels: { route: 'split' } })),
        ],
      },
      c: { routes: [route('e')] },
      d: { routes: [route('e')] },
    };
    let turns = 0;
    const model: World['model'] = ({ agent }) => {
      if (agent === 'a') turns += 1;
      return { content: `{"route":"${turns < 20 ? 'on' : 'split'}"}` };
    };
    const parts = { agents: ['a', 'b', 'c', 'd', 'e'].map((name) => agentSnapshot(name)), nodes, ...place };
    const { journal } = run(parts, { model });
    const apart = ofType(journal, 'agent.completed').find(({ hand_overs }) => hand_overs.some(({ to_agent }) => to_agent === 'c'));
    expect(apart?.branch_id).toContain('~');
    expect(ofType(journal, 'join.released').map(({ branch_id }) => branch_id)).toEqual([apart?.branch_id]);
  });
});
