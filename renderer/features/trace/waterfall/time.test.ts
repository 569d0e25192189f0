// Time on the line: idle stretches, the scale made of them, the replay along it, the critical path.
import { describe, expect, test } from 'vitest';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { criticalPath } from './critical-path.ts';
import report from '../fixtures/report-q3.json';
import { idleStretches } from '../model/idle.ts';
import { advance, density, positionAt, stepFrom } from '../model/replay-clock.ts';
import { SpanFold } from '../model/spans.ts';
import { timeScale, zoomStep } from './time-scale.ts';

const entry = (ms: number, type: TraceEntry['type'], more: Partial<TraceEntry> = {}): TraceEntry => ({
  timestamp: new Date(ms).toISOString(),
  attempt: 1,
  type,
  agent: 'a',
  branch_id: 'b001',
  ...more,
});

function fold(entries: readonly TraceEntry[]): SpanFold {
  const made = new SpanFold();
  made.append(entries);
  return made;
}

const HOUR = 3_600_000;
const APPROVED = [
  entry(0, 'agent_start'),
  entry(0, 'model_call', { step: 1 }),
  entry(5_000, 'model_output', { step: 1, asked_tools: ['x'] }),
  entry(5_000, 'tool_approval_pending', { step: 1, tool: 'x', tool_request_id: 'r', approval: 'q' }),
  entry(2 * HOUR, 'tool_approval_resolved', { step: 1, tool: 'x', tool_request_id: 'r', approval: 'q', decision: 'approved' }),
  entry(2 * HOUR + 1_000, 'tool_call', { step: 1, tool: 'x', tool_request_id: 'r', latency_ms: 1_000 }),
];

describe('idle stretches', () => {
  test('are waits for people, not the calls around them', () => {
    const { spans, now } = fold(APPROVED);
    expect(idleStretches(spans, { start: 0, end: now })).toEqual([{ start: 5_250, end: 2 * HOUR - 250 }]);
  });
  test('last until now while an approval is open', () => {
    const { spans } = fold(APPROVED.slice(0, 4));
    expect(idleStretches(spans, { start: 0, end: HOUR })).toEqual([{ start: 5_250, end: HOUR - 250 }]);
  });
  test('are ignored when short', () => {
    const { spans, now } = fold([
      entry(0, 'model_call', { step: 1 }),
      entry(10, 'model_output', { step: 1 }),
      entry(1_500, 'model_call', { step: 2 }),
    ]);
    expect(idleStretches(spans, { start: 0, end: now })).toEqual([]);
  });
});

describe('the scale', () => {
  const window = { start: 1_000, end: 11_000 };
  test('is even without folds', () => {
    const scale = timeScale({ window });
    expect([1_000, 6_000, 11_000].map(scale.place)).toEqual([0, 0.5, 1]);
    expect(scale.moment(0.25)).toBe(3_500);
  });
  test('folds an idle stretch to a mark with its length', () => {
    const scale = timeScale({ window: { start: 0, end: 2 * HOUR }, idle: [{ start: 1_000, end: 2 * HOUR - 1_000 }] });
    expect(scale.place(1_000)).toBeCloseTo(0.495, 2);
    expect(scale.place(2 * HOUR - 1_000)).toBeCloseTo(0.505, 2);
    expect(scale.breaks).toMatchObject([{ ms: 2 * HOUR - 2_000, labelled: 'always' }]);
  });
  test('maps each place back to its time', () => {
    const scale = timeScale({
      window: { start: 0, end: 100_000 },
      idle: [{ start: 20_000, end: 70_000 }],
      zoom: { start: 10_000, end: 90_000 },
    });
    for (const at of [10_000, 15_000, 45_000, 80_000, 90_000]) expect(scale.moment(scale.place(at))).toBeCloseTo(at, 3);
    expect(scale.place(5_000)).toBeLessThan(0);
  });
  test('zooms in around a time, within the run', () => {
    const scale = timeScale({ window });
    expect(zoomStep(scale, { window, around: 6_000, share: 0.5 })).toEqual({ start: 3_500, end: 8_500 });
    expect(zoomStep(scale, { window, around: 1_000, share: 0.5 })).toEqual({ start: 1_000, end: 6_000 });
    expect(zoomStep(scale, { window, around: 11_000, share: 0.5 })).toEqual({ start: 6_000, end: 11_000 });
  });
  test('zooms out to the whole, around a time outside of the visible part', () => {
    const scale = timeScale({ window, zoom: { start: 1_000, end: 3_500 } });
    expect(zoomStep(scale, { window, around: 11_000, share: 2 })).toEqual({ start: 6_000, end: 11_000 });
    expect(zoomStep(timeScale({ window, zoom: { start: 1_000, end: 6_000 } }), { window, around: 6_000, share: 2 })).toBeUndefined();
  });
  test('zooms in to a millisecond at most', () => {
    const zoom = { start: 2_000, end: 2_001 };
    expect(zoomStep(timeScale({ window, zoom }), { window, around: 2_000, share: 0.5 })).toEqual(zoom);
  });
  test('with many breaks leaves most of the line to the work', () => {
    const idle = Array.from({ length: 200 }, (_, index) => ({ start: index * 1_000 + 100, end: index * 1_000 + 900 }));
    const { place, breaks } = timeScale({ window: { start: 0, end: 200_000 }, idle });
    const folded = breaks.reduce((sum, { start, end }) => sum + place(end) - place(start), 0);
    expect(folded).toBeLessThan(0.31);
    expect(breaks.filter(({ labelled }) => labelled !== 'never').length).toBeLessThan(14);
    expect(breaks.filter(({ labelled }) => labelled === 'always').length).toBeLessThan(5);
  });
});

describe('a replay', () => {
  const times = [0, 10, 10, 10, 50, 50_000];
  test.each([
    [-1, 0],
    [0, 1],
    [10, 4],
    [49_999, 5],
    [60_000, 6],
  ])('at %i ms has seen %i events', (at, position) => expect(positionAt(times, at)).toBe(position));
  test('steps from time to time: simultaneous entries are one step', () => {
    expect([stepFrom(times, 1, 1), stepFrom(times, 4, 1), stepFrom(times, 6, 1)]).toEqual([4, 5, 6]);
    expect([stepFrom(times, 4, -1), stepFrom(times, 1, -1), stepFrom(times, 0, -1)]).toEqual([1, 0, 0]);
  });
  test('runs in real time, but skips idle stretches', () => {
    const idle = [{ start: 1_000, end: 3_601_000 }];
    expect(advance(0, 500, idle)).toBe(500);
    expect(advance(0, 1_200, idle)).toBe(1_801_000);
    expect(advance(0, 1_500, idle)).toBe(3_601_100);
    expect(advance(1_801_000, 200, idle)).toBe(3_601_000);
  });
  test('counts events by place', () => expect(density([0, 1, 1, 9], (at) => at / 10, 5)).toEqual([3, 0, 0, 0, 1]));
});

test('the critical path of a fan-out goes through the branch that ended last', () => {
  const { root, now } = fold(report as TraceEntry[]);
  const names = [...criticalPath(root, now)].filter(({ kind }) => kind === 'turn').map(({ name }) => name);
  expect(names.sort()).toEqual(['collector', 'editor', 'market']);
});

test('ticks covered by the label of a break are omitted, and a narrow line omits more', () => {
  const scale = timeScale({ window: { start: 0, end: 11_000 }, idle: [{ start: 700, end: 10_700 }] });
  const [mark] = scale.breaks;
  const where = (wanted: string) => scale.ticks.filter(({ labelled }) => labelled === wanted).map(({ place }) => place);
  expect(mark?.at).toBeCloseTo(0.7, 1);
  expect(where('never')).toEqual([4 / 6]);
  expect(where('wide')).toEqual([2 / 6, 3 / 6, 5 / 6]);
});
