import { describe, expect, test } from 'vitest';
import { edgeLine, into, lanesOf, outOf } from './edge-path.ts';
import { boxesOf, computedLayout, readLayout, writeLayout } from './layout.ts';
import { cardSizes } from './node-size.ts';
import { readSystem } from './read-system.ts';
import { conditionText, joinSentence } from './accessible-text.ts';
import { joinView, systemGraph } from './system-graph.ts';
import { walk } from './walk.ts';

const model = (spec: unknown) => systemGraph(readSystem(spec));
const kinds = (spec: unknown) => Object.fromEntries(model(spec).edges.map(({ id, kind }) => [id, kind]));
const DESK = {
  agents: ['a', 'b', 'c', 'd', 'lost'],
  graph: {
    a: { edges: [{ to: 'b' }, { to: 'c' }, { to: 'd', labels: { route: 'x' } }] },
    b: { next: 'd' },
    c: { edges: [{ to: 'd' }, { to: 'a', policy: { condition: 'on_error' } }] },
    d: { join: { mode: 'quorum', quorum_count: 2, on_failure: 'skip' }, edges: [{ to: 'd', labels: { again: 'yes' } }] },
  },
};

describe('routes', () => {
  test('differ by their purpose', () => {
    expect(kinds(DESK)).toEqual({
      'a→b#0': 'fan-out',
      'a→c#0': 'fan-out',
      'a→d#0': 'conditional',
      'b→d#next': 'next',
      'c→d#0': 'next',
      'c→a#0': 'loop-back',
      'd→d#0': 'loop-back',
    });
  });
  test('follow from the order of the agents in a system without a graph', () => {
    expect(model({ agents: ['a', 'b'] }).edges).toMatchObject([{ source: 'a', target: 'b', field: 'implied', kind: 'next' }]);
  });
  test('between the same two agents have a position each', () => {
    const { edges } = model({
      agents: ['a', 'b'],
      graph: {
        a: {
          edges: [
            { to: 'b', labels: { x: '1' } },
            { to: 'b', labels: { x: '2' } },
          ],
        },
      },
    });
    expect(edges.map(({ parallel }) => parallel)).toEqual([
      { index: 0, count: 2 },
      { index: 1, count: 2 },
    ]);
  });
  test('have a description', () => {
    const [, , conditional] = model(DESK).edges;
    expect(conditional && conditionText(conditional)).toBe('on success, with route=x');
  });
});

describe('agents', () => {
  const { byName, cycle } = model(DESK);
  test('report whether a run can start at, end at or reach them', () => {
    // All agents are on a cycle, so the first one is where a run starts.
    expect(byName.get('lost')).toMatchObject({ entry: false, reachable: false, terminal: false, listed: true });
    expect(byName.get('a')).toMatchObject({ entry: true, reachable: true });
    expect(cycle).toEqual(['d']);
  });
  test('named by a route only are drawn as unlisted', () => {
    expect(model({ agents: ['a'], graph: { a: { next: 'ghost' } } }).byName.get('ghost')).toMatchObject({ listed: false, terminal: true });
  });
});

describe('a join', () => {
  const join = { mode: 'quorum', quorum_count: 2, quorum_percent: 0, on_failure: 'skip' } as const;
  test.each([
    [undefined, 1, undefined, undefined],
    [undefined, 3, 'ALL', 'continues when all 3 arrive; a failed source ends the run as a dead letter'],
    [join, 3, '2/3', 'continues when 2 of 3 arrive; failed branches are skipped'],
    [{ ...join, quorum_count: 0, quorum_percent: 60 }, 3, '60 %', 'continues when 2 of 3 arrive; failed branches are skipped'],
  ])('%j of %i sources is %s', (policy, sources, badge, sentence) => {
    const view = joinView(policy, sources);
    expect([view?.badge, view && joinSentence(view)]).toEqual([badge, sentence]);
  });
});

describe('an incomplete spec', () => {
  test.each([
    undefined,
    null,
    'text',
    { agents: 'a' },
    { agents: [1, {}, ''], graph: [] },
    { graph: { a: 'x', b: { edges: [{}, null] } } },
  ])('%j has a picture', (spec) => expect(() => model(spec)).not.toThrow());
  test('cannot reach prototypes', () => {
    expect(model(JSON.parse('{"agents":["__proto__"],"graph":{"__proto__":{"next":"constructor"}}}')).nodes.map(({ id }) => id)).toContain(
      'constructor',
    );
  });
});

describe('the layout', () => {
  const desk = model(DESK);
  const sizes = cardSizes(desk);
  test('places later agents to the right, and siblings in the order of the system', () => {
    const places = computedLayout(desk, sizes, 'LR');
    const at = (name: string) => places.get(name) ?? { x: 0, y: 0 };
    expect(at('a').x).toBeLessThan(at('b').x);
    expect(at('b').x).toBeLessThan(at('d').x);
    expect(at('b').y).toBeLessThan(at('c').y);
    expect(computedLayout(desk, sizes, 'LR')).toBe(places);
  });
  test('keeps positions set by hand, and restores them from the annotation', () => {
    const placement = { direction: 'TB', positions: new Map([['a', { x: 10, y: 20 }]]) } as const;
    expect(boxesOf(desk, sizes, placement).get('a')).toMatchObject({ x: 10, y: 20 });
    expect(readLayout(writeLayout(placement))).toEqual(placement);
    expect([readLayout('no json'), readLayout('{"n":{"a":["x",1]}}')].map(({ positions }) => positions.size)).toEqual([0, 0]);
  });
  test('accepts any name, also names of object properties', () => {
    const names = ['constructor', 'toString', '__proto__'];
    const odd = model(
      JSON.parse(
        '{"agents":["constructor","toString","__proto__"],"graph":{"constructor":{"next":"toString"},"__proto__":{"next":"toString"}}}',
      ),
    );
    expect([...computedLayout(odd, cardSizes(odd), 'LR').keys()].sort()).toEqual([...names].sort());
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
  test('routes back edges outside of the cards', () => {
    const boxes = boxesOf(desk, sizes, { direction: 'LR', positions: new Map() });
    const lane = lanesOf(desk.edges, boxes, 'LR').get('c→a#0') ?? 0;
    const [a, c] = [boxes.get('a'), boxes.get('c')];
    expect(lane).toBeGreaterThan(Math.max((a?.y ?? 0) + (a?.height ?? 0), (c?.y ?? 0) + (c?.height ?? 0)));
  });
  test.each(['LR', 'TB'] as const)('draws a route that skips an agent around its card, with its label, in direction %s', (direction) => {
    const skipping = model({
      agents: ['a', 'b', 'c'],
      graph: { a: { edges: [{ to: 'b' }, { to: 'c', policy: { condition: 'on_error' } }] }, b: { edges: [{ to: 'c' }] } },
    });
    const boxes = boxesOf(skipping, cardSizes(skipping), { direction, positions: new Map() });
    // In one row, the line from the first to the last card is behind the second one.
    const row = new Map([...boxes].map(([id, box]) => [id, { ...box, ...(direction === 'LR' ? { y: 0 } : { x: 0 }) }]));
    const lanes = lanesOf(skipping.edges, row, direction);
    expect([...lanes.keys()]).toEqual(['a→c#0']);
    const edge = skipping.edges.find(({ id }) => id === 'a→c#0');
    const [a, b, c] = ['a', 'b', 'c'].map((id) => row.get(id));
    if (!edge || !a || !b || !c) throw new Error('the picture is not complete');
    const { path, label } = edgeLine({ from: outOf(a, direction), to: into(c, direction), direction, edge, lane: lanes.get(edge.id) });
    const points = [label, ...[...path.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))];
    const inside = points.filter(({ x, y }) => x > b.x && x < b.x + b.width && y > b.y && y < b.y + b.height);
    expect(inside).toEqual([]);
  });
  test('takes well under a second for 200 agents', () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const big = model({
      agents: names,
      graph: Object.fromEntries(names.slice(1).map((name, index) => [names[index >> 1], { edges: [{ to: name }] }])),
    });
    const begun = process.cpuUsage();
    computedLayout(big, cardSizes(big), 'LR');
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(2000);
  });
});

test('labels of routes between the same two agents do not overlap, in both directions', () => {
  const routes = ['x', 'y', 'z'].map((value) => ({ to: 'b', labels: { kind: value } }));
  const { edges } = model({ agents: ['a', 'b'], graph: { a: { edges: routes } } });
  for (const [direction, to] of [
    ['LR', { x: 200, y: 0 }],
    ['TB', { x: 0, y: 106 }],
  ] as const) {
    const heights = edges.map((edge) => edgeLine({ from: { x: 0, y: 0 }, to, direction, edge, lane: undefined }).label.y);
    const sorted = heights.sort((one, other) => one - other);
    for (const [index, y] of sorted.slice(1).entries()) expect(y - (sorted[index] ?? y)).toBeGreaterThan(18);
  }
});

test('arrow keys walk along routes', () => {
  const desk = model(DESK);
  const boxes = boxesOf(desk, cardSizes(desk), { direction: 'LR', positions: new Map() });
  expect(walk(desk, boxes, { from: 'b', arrow: 'ArrowRight', direction: 'LR' })).toBe('d');
  expect(walk(desk, boxes, { from: 'b', arrow: 'ArrowLeft', direction: 'LR' })).toBe('a');
  expect(walk(desk, boxes, { from: 'b', arrow: 'ArrowDown', direction: 'LR' })).toBe('c');
});
