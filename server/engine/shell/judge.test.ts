// Queries of governance: equal queries are sent once, failed reads are retried, and a missing answer denies.
import { ServiceError } from '@svc/shared/errors';
import { expect, test } from 'vitest';
import type { StoreReader } from '../../store/store.ts';
import { WriteRace } from '../../store/write-race.ts';
import { keptLog } from '../../testing/background.ts';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import { scriptedInputs, type InputScript } from '../../testing/scripted-inputs.ts';
import { allowCall, approvalForCall, scriptedGovernance, type ScriptedGovernance } from '../../testing/scripted-governance.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { newRunState } from '../core/state.ts';
import { settleJudged } from './judge.ts';
import { CallError, type ToolCheck } from '../ports.ts';

const reader = {} as StoreReader;
const moment = { now: 5_000, random: () => 0, worker: 'w' };
const call = (id: string, name: string) => ({ id, name, arguments: `{"id":"${id}"}` });

/** A run whose model has just requested three calls of two tools. */
function asking() {
  const snapshot = runSnapshot({ agents: [agentSnapshot('solo', { tools: ['pay', 'look'] })] });
  const model = ({ agentStep }: { agentStep: number }) =>
    agentStep === 1 ? { toolCalls: [call('a', 'pay'), call('b', 'pay'), call('c', 'look')] } : { content: 'done' };
  const { journal } = simulate(snapshot, { world: { model } });
  const state = newRunState();
  for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'model.completed') + 1)) applyEntry(state, entry);
  return state;
}

const runs: ToolCheck = () => Promise.resolve(undefined);

function settled(governance: ScriptedGovernance, script?: InputScript, canRun: ToolCheck = runs) {
  const { log, lines } = keptLog();
  return {
    outcome: settleJudged(asking(), moment, { judge: { governance, tools: { inputs: scriptedInputs(script), canRun }, log }, reader }),
    lines,
  };
}

test('calls of one tool by one agent are one question, and all of a step are asked in one go', async () => {
  const governance = scriptedGovernance();
  const { entries, decision } = await settled(governance).outcome;
  expect(governance.judged).toEqual(['pay', 'look']);
  expect(entries.map(({ type }) => type)).toEqual(['tool.requested', 'tool.requested', 'tool.requested']);
  expect(decision).toMatchObject({ kind: 'perform', effects: [{}, {}, {}] });
});

test('a judge that throws denies the call, and the model does not receive the reason', async () => {
  const governance = scriptedGovernance();
  governance.call = () => Promise.reject(new Error('a private detail'));
  const { outcome, lines } = settled(governance);
  const { entries } = await outcome;
  expect(entries[0]).toMatchObject({ type: 'tool.failed', data: { code: 'permission_denied', reason: 'governance_unreadable' } });
  expect(entries.at(-1)).toMatchObject({ type: 'run.failed' });
  expect(JSON.stringify(entries)).not.toContain('private');
  expect(lines).toMatchObject([{ level: 'error' }, { level: 'error' }]);
});

test('a failing judge of models refuses the turn', async () => {
  const governance = scriptedGovernance();
  governance.model = () => Promise.reject(new Error('broken'));
  const state = newRunState();
  const { journal } = simulate(runSnapshot({ agents: [agentSnapshot('solo')] }), { world: { model: () => ({ content: 'x' }) } });
  for (const entry of journal.slice(0, 1)) applyEntry(state, entry);
  const judge = { governance, tools: { inputs: scriptedInputs(), canRun: runs }, log: keptLog().log };
  const { entries } = await settleJudged(state, moment, { judge, reader });
  expect(entries).toMatchObject([
    { type: 'agent.started' },
    { type: 'turn.refused', data: { code: 'policy_violation', reason: 'governance_unreadable' } },
    { type: 'agent.failed' },
    { type: 'run.failed', data: { phase: 'Failed' } },
  ]);
});

test.each([
  ['a store that is away', new ServiceError('unavailable', 'away')],
  ['a lost race', new WriteRace(undefined)],
])('%s is the caller’s to try again', async (_, error) => {
  const governance = scriptedGovernance();
  governance.call = () => Promise.reject(error);
  await expect(settled(governance).outcome).rejects.toBe(error);
});

test('an input that does not fit is not judged', async () => {
  const governance = scriptedGovernance();
  const error = new CallError('invalid_input', 'input.sum is required', { retryable: false, reason: 'schema_mismatch' });
  const { entries } = await settled(governance, ({ name }) => (name === 'pay' ? error : undefined)).outcome;
  expect(governance.judged).toEqual(['look']);
  expect(entries).toMatchObject([
    { type: 'tool.failed', data: { code: 'invalid_input', reason: 'schema_mismatch' } },
    { type: 'tool.failed' },
    { type: 'tool.requested' },
  ]);
});

test('a check of inputs that breaks lets nothing through', async () => {
  const governance = scriptedGovernance();
  const broken = () => {
    throw new Error('broken');
  };
  const { entries } = await settled(governance, broken).outcome;
  expect(entries.map(({ type }) => type).filter((type) => type === 'tool.requested')).toEqual([]);
  expect(entries[0]).toMatchObject({ type: 'tool.failed', data: { code: 'execution_failed', reason: 'unforeseen' } });
});

test('a call of a tool that cannot run fails before an approval is requested, and an allowed call is not checked', async () => {
  const governance = scriptedGovernance();
  governance.call = ({ tool }) => (tool.ref === 'pay' ? approvalForCall : allowCall);
  const checked: string[] = [];
  const { outcome } = settled(governance, undefined, (tool) => {
    checked.push(tool.name);
    const message = `Tool "default/${tool.name}" is to run sandboxed, and nothing says in which image`;
    return Promise.resolve(new CallError('isolation_unavailable', message, { retryable: false, reason: 'not_configured' }));
  });
  const { entries } = await outcome;
  expect(entries).toMatchObject([
    { type: 'tool.failed', data: { code: 'isolation_unavailable', reason: 'not_configured' } },
    { type: 'tool.failed', data: { code: 'isolation_unavailable' } },
    { type: 'tool.requested' },
  ]);
  expect(checked).toEqual(['pay', 'pay']);
});

test('a failing check of a tool requests no approval', async () => {
  const governance = scriptedGovernance();
  governance.call = () => approvalForCall;
  const { entries } = await settled(governance, undefined, () => Promise.reject(new Error('broken'))).outcome;
  expect(entries.map(({ type }) => type).slice(0, 3)).toEqual(['tool.failed', 'tool.failed', 'tool.failed']);
  expect(entries.some(({ type }) => type === 'approval.requested')).toBe(false);
});
