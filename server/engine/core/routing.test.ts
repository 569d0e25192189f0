// Routes in the output of an agent that are ignored.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import type { Route } from './snapshot.ts';

const labelled: Route = { to: 'b', labels: { route: 'b' }, condition: { kind: 'success' } };
const plain: Route = { ...labelled, labels: {} };

function isMarked(content: string, route = labelled): boolean {
  const parts = { agents: [agentSnapshot('a'), agentSnapshot('b')], nodes: { a: { routes: [route] } }, entrypoints: ['a'] };
  const { journal } = simulate(runSnapshot(parts), { world: { model: () => ({ content }) } });
  return journal.some((entry) => entry.type === 'agent.completed' && entry.data.route_ignored === true);
}

test.each(['Fine. {"route": "b"}', '```json\n{ "route": "b" }\n```', '{"route":"b"}\nDone.'])(
  '%j is marked as an ignored route',
  (content) => expect(isMarked(content)).toBe(true),
);

test.each(['{"route": "b"}', 'Fine.\n{"route": "other"}', 'Fine.'])('%j is not marked', (content) => expect(isMarked(content)).toBe(false));

test('a route in the output is not marked where labels choose no route', () => expect(isMarked('Fine. {"route": "b"}', plain)).toBe(false));
