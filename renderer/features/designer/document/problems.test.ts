import { expect, test } from 'vitest';
import type { AgentFacts } from '../../../graph/agent-summary.ts';
import { boxesOf } from '../../../graph/layout.ts';
import { cardSizes } from '../../../graph/node-size.ts';
import { readSystem } from '../../../graph/read-system.ts';
import { systemGraph } from '../../../graph/system-graph.ts';
import { specOf } from './commands.ts';
import { mermaidOf, svgOf } from '../canvas/exports.ts';
import { problemMarks, problemsOf, fixesOfUnknown } from './problems.ts';
import { runName } from '../../runs/model/run-name.ts';
import { firstRows, pastInputs, rowsFrom, taskOf } from '../run/run-input.ts';
import { keepPlaces, newSystemText, placementOf, placesKept } from './system-text.ts';

const TEXT = `spec:
  agents: [a, b, gone, apart]
  graph:
    a: { edges: [{ to: b }, { to: stranger }, { to: gone }] }
    b: { edges: [{ to: a, labels: { again: yes } }], join: { mode: quorum, quorum_count: 4 } }
`;
const found: AgentFacts = { state: 'found', tools: [], roles: [] };

function find(text: string) {
  const system = readSystem(specOf(text));
  const model = systemGraph(system);
  const facts = new Map(model.nodes.map(({ id }) => [id, id === 'gone' ? { ...found, state: 'missing' as const } : found]));
  const missing = [{ agent: 'a', object: 'Tool saw', path: 'spec.tools[0]' }];
  return { model, problems: problemsOf({ system, model, facts, rules: [], missing, unrunnable: [] }) };
}

test('several missing agents are made or removed in one step, a single one is not', () => {
  const text = 'spec:\n  agents: [a, lost, gone]\n  graph:\n    a: { edges: [{ to: lost }, { to: gone }] }\n';
  const system = readSystem(specOf(text));
  const model = systemGraph(system);
  const problems = (absent: readonly string[]) => {
    const facts = new Map(model.nodes.map(({ id }) => [id, absent.includes(id) ? { ...found, state: 'missing' as const } : found]));
    return problemsOf({ system, model, facts, rules: [], missing: [], unrunnable: [] });
  };
  const [make, remove] = fixesOfUnknown(problems(['lost', 'gone']));
  expect(make).toMatchObject({ label: 'Create all 2 agents', make: ['lost', 'gone'] });
  expect(remove?.label).toBe('Remove all 2 unknown agents');
  expect(readSystem(specOf(remove && 'apply' in remove ? remove.apply(text) : '')).agents).toEqual(['a']);
  expect(fixesOfUnknown(problems(['gone']))).toEqual([]);
});

test('every problem that keeps a system from running is listed with its place, the worst first', () => {
  const { problems } = find(TEXT);
  expect(problems.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'error a leads to "stranger", which is not in spec.agents',
    'error There is no agent gone',
    'error a needs Tool saw, which does not exist',
    'warning apart never runs: no path from an entry agent reaches it',
    'warning b requires 4 of 1 source; it will continue when all have arrived',
    'info A loop: a → b → a. Each run of the system must set max_turns, a field of the Run dialog',
  ]);
  expect(problems[0]).toMatchObject({ path: 'spec.graph.a.edges[1].to', edge: 'a→stranger#0' });
  expect(new Set(problemMarks(problems).keys())).toEqual(new Set(['a', 'a→stranger#0', 'apart', 'b', 'gone', 'stranger']));
});

test('each quick fix resolves its problem', () => {
  for (const { id, fixes } of find(TEXT).problems) {
    for (const fix of fixes) if ('apply' in fix) expect(find(fix.apply(TEXT)).problems.map((each) => each.id)).not.toContain(id);
  }
});

test('an empty system is reported', () => {
  const system = readSystem(specOf('spec: { agents: [] }'));
  const empty = problemsOf({ system, model: systemGraph(system), facts: new Map(), rules: [], missing: [], unrunnable: [] });
  expect(empty).toMatchObject([{ id: 'empty', severity: 'info' }]);
});

test('exports escape the content of names and labels', () => {
  const model = systemGraph(readSystem({ agents: ['<b>', 'x"y'], graph: { '<b>': { edges: [{ to: 'x"y', labels: { k: '<i>' } }] } } }));
  const svg = svgOf(model, boxesOf(model, cardSizes(model), { direction: 'LR', positions: new Map() }), 'LR');
  expect(svg).not.toContain('<b>');
  expect(svg).toContain('if k is &lt;i&gt;');
  expect(mermaidOf(model, 'LR')).toContain('n1["x#quot;y"]');
});

test('a drawing has room for long names and labels, and shortens labels that would cover the rest', () => {
  const long = 'a-name-'.repeat(20);
  const routes = [{ to: 'b' }, { to: 'b', labels: { topic: long, also: 'x' } }, { to: long, labels: { again: 'yes' } }];
  const model = systemGraph(readSystem({ agents: [long, 'b'], graph: { [long]: { edges: routes } } }));
  const svg = svgOf(model, boxesOf(model, cardSizes(model), { direction: 'TB', positions: new Map() }), 'TB');
  const [left, , width] = /viewBox="([-\d.]+) ([-\d.]+) ([-\d.]+)/.exec(svg)?.slice(1).map(Number) ?? [];
  const places = [...svg.matchAll(/<tspan x="([-\d.]+)"[^>]*>([^<]*)/g)].map(([, x, words]) => ({
    x: Number(x),
    half: (words ?? '').length * 3.2,
  }));
  expect(places).toHaveLength(3);
  for (const { x, half } of places) expect([x - half > (left ?? 0), x + half < (left ?? 0) + (width ?? 0)]).toEqual([true, true]);
  expect(svg).toContain(`<title>${long}</title>a-name-`);
  expect([...svg.matchAll(/>([^<]*)</g)].filter(([, words]) => words === long)).toHaveLength(1);
});

test('positions are kept in the annotation only, and can be removed', () => {
  const text = newSystemText('default');
  const placement = { direction: 'LR', positions: new Map([['a', { x: 1, y: 2 }]]) } as const;
  const kept = keepPlaces(text, placement);
  expect([placesKept(text, placement), placesKept(kept, placement), placementOf(kept)]).toEqual([false, true, placement]);
  expect(keepPlaces(kept, { direction: 'LR', positions: new Map() })).toBe(text);
});

test('the form of a run follows earlier runs', () => {
  const task = (name: string, createdAt: string, input: unknown) => ({ metadata: { name, createdAt }, spec: { input } }) as never;
  const past = pastInputs([
    task('one', '2026-01-01', { q: '1' }),
    task('two', '2026-01-02', { q: '2' }),
    task('three', '2026-01-03', { q: '1' }),
  ]);
  expect(past.map((each) => each.task)).toEqual(['three', 'two']);
  expect([firstRows(past), firstRows([])]).toEqual([[{ key: 'q', value: '1' }], [{ key: 'request', value: '' }]]);
  expect(rowsFrom('{"a": {"b": 1}}')).toEqual({ rows: [{ key: 'a', value: '{"b":1}' }] });
  expect([rowsFrom('[]'), rowsFrom('{')].every((each) => 'problem' in each)).toBe(true);
  expect(runName('Desk', new Date('2026-11-21T22:30:05Z'))).toBe('desk-261121223005-000');
  const request = {
    system: 's',
    namespace: 'n',
    name: 'x',
    rows: [
      { key: ' a ', value: '1' },
      { key: '', value: '2' },
    ],
    priority: 'high',
    maxTurns: 4,
  };
  expect(taskOf(request)).toMatchObject({ spec: { system: 's', input: { a: '1' }, priority: 'high', max_turns: 4 } });
});

test('a tool that cannot run is a warning at each agent that lists it', () => {
  const text = 'spec: { agents: [a, b], graph: { a: { next: b } } }';
  const system = readSystem(specOf(text));
  const facts = new Map(['a', 'b'].map((id) => [id, found]));
  const unrunnable = ['a', 'b'].map((agent) => ({ agent, tool: 'default/saw', message: 'no image' }));
  const problems = problemsOf({ system, model: systemGraph(system), facts, rules: [], missing: [], unrunnable });
  expect(problems.map(({ severity, node, message }) => [severity, node, message])).toEqual([
    ['warning', 'a', 'a lists a tool that cannot run: no image'],
    ['warning', 'b', 'b lists a tool that cannot run: no image'],
  ]);
});
