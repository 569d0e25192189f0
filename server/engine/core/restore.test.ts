// Calls of a run that continues from a checkpoint.
import { expect, test } from 'vitest';
import { approvalForCall } from '../../testing/scripted-governance.ts';
import { agentSnapshot, runSnapshot, simulate, type World } from '../../testing/simulate-run.ts';
import { applyEntry } from './apply-entry.ts';
import { restoredEntry } from './restore.ts';
import { encodeState } from './state-codec.ts';
import { newRunState } from './state.ts';

test('a call that starts over has no edited input', () => {
  const rule = { kind: 'ToolPermission', namespace: 'default', name: 'first' };
  const rulings = [{ ...approvalForCall, askedBy: [rule] }];
  const decision = { decision: 'approved', decision_record: 4, call_hash: 'sha256:c', edited_input: { sum: 1 } } as const;
  const world: World = {
    model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [{ id: 'a', name: 'pay', arguments: '{"sum":3}' }] } : { content: 'done' }),
    judge: () => rulings.shift() ?? { ...approvalForCall, askedBy: [{ ...rule, name: 'second', require_other: true }] },
    person: () => decision,
  };
  const snapshot = runSnapshot({ agents: [agentSnapshot('solo', { tools: ['pay'] })] });
  const { journal } = simulate(snapshot, { world });
  const state = newRunState();
  for (const entry of journal.slice(0, journal.findLastIndex(({ type }) => type === 'approval.requested') + 1)) applyEntry(state, entry);
  expect(state.attempt?.turns.values().next().value?.step?.calls).toMatchObject([{ phase: 'awaiting', asked: 2, proposed: { sum: 3 } }]);
  const next = newRunState();
  applyEntry(next, restoredEntry({ checkpointId: 'c', encoded: encodeState(state) }, { snapshot, overrides: {}, at: 1 }));
  const calls = next.attempt?.turns.values().next().value?.step?.calls;
  expect(calls?.map(({ phase, asked, proposed }) => ({ phase, asked, proposed }))).toEqual([
    { phase: 'new', asked: 0, proposed: undefined },
  ]);
});
