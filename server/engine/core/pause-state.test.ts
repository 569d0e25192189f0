// The clocks and calls of a paused run, without a store.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot } from '../../testing/simulate-run.ts';
import { decide } from './decide.ts';
import type { Entry } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import { entryHandOvers } from './routing.ts';
import { settle } from './settle.ts';
import { newRunState, type RunState } from './state.ts';
import { NO_VERDICTS } from './verdicts.ts';

const moment = (now: number) => ({ now, random: () => 0, worker: 'w', verdicts: NO_VERDICTS });
const fold = (state: RunState, ...entries: Entry[]) => entries.forEach((entry) => applyEntry(state, entry));

/** A run whose only agent, with a timeout of 500 ms, has started at 0 and is about to ask its model. */
function started(): RunState {
  const snapshot = runSnapshot({ agents: [agentSnapshot('writer', { timeoutMs: 500 })] });
  const state = newRunState();
  fold(state, { type: 'run.started', at: 0, data: { attempt: 1, snapshot, hand_overs: entryHandOvers(snapshot, 1) } });
  settle(state, moment(0));
  return state;
}

const paused = (at: number): Entry => ({ type: 'run.paused', at, data: { by: 'ann', reason: '' } });
const resumed = (at: number): Entry => ({ type: 'run.resumed', at, data: { by: 'ann' } });

test('the time of a pause does not count against the timeout of an agent', () => {
  const state = started();
  fold(state, paused(400), resumed(10_000));
  expect(settle(state, moment(10_050)).decision.kind).toBe('judge');
  fold(state, paused(10_050), resumed(20_000));
  expect(settle(state, moment(20_049)).decision.kind).toBe('judge');
  const { entries } = settle(state, moment(20_050));
  expect(entries.map(({ type }) => type)).toEqual(['agent.failed', 'run.failed']);
});

test('a clock that was set back during a pause does not lengthen the timeout of an agent', () => {
  const state = started();
  fold(state, paused(400), resumed(-3_600_000));
  expect(settle(state, moment(-3_600_000 + 99)).decision.kind).toBe('judge');
  const { entries } = settle(state, moment(-3_600_000 + 100));
  expect(entries.map(({ type }) => type)).toEqual(['agent.failed', 'run.failed']);
});

test('a paused run starts nothing at any time, and its cancel ends it', () => {
  const state = started();
  fold(state, paused(400), paused(500));
  expect(decide(state, moment(1_000_000))).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
  expect(state.paused).toEqual({ by: 'ann', reason: '', at: 400 });
  fold(state, { type: 'cancel.requested', at: 1_000_000, data: { by: 'bob', reason: 'enough' } });
  expect(decide(state, moment(1_000_000))).toMatchObject({ kind: 'record', entry: { type: 'run.failed', data: { code: 'cancelled' } } });
});

test('a state that an entry changed only in part is refused afterwards', () => {
  const state = started();
  const wrong = { type: 'agent.completed', at: 1, data: { turn_id: 'none' } } as unknown as Entry;
  expect(() => applyEntry(state, wrong)).toThrow('no open turn none');
  expect(() => applyEntry(state, paused(2))).toThrow('fold the journal afresh');
});
