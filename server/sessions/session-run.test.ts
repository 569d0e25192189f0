// Record of a turn's run over a store: notes on its branches, and a state that is too large to keep.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { statusOf } from '@svc/shared/kinds/read';
import { invariant } from '@svc/shared/errors';
import { systemClock } from '../clock.ts';
import type { Entry } from '../engine/core/entries.ts';
import { newRunState, type RunState } from '../engine/core/state.ts';
import type { CallPlace } from '../engine/live/messages.ts';
import { createRunListeners } from '../engine/run-listeners.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { createLogger } from '../log/log.ts';
import { partName } from '../registry/principal.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Claim, Store } from '../store/store.ts';
import { as } from '../testing/registry-fixture.ts';
import { createSessionService } from './create-session-service.ts';
import { putTurn, readTurn, sessionControls, turnBindings } from './records.ts';
import { Bindings } from './bindings.ts';
import { createSessionRunListener } from './run-listener.ts';
import { createOpenRecord } from './session-run.ts';

const UID = 'the-session';
const TASK = { name: 'session-talk-1', uid: 'the-task' };
const REF = { namespace: 'default', name: 'talk' };
const AT = new Date().toISOString();
const log = createLogger({ level: 'silent', format: 'json' });
const object = { resourceVersion: 1, generation: 1, namespace: 'default', annotations: {}, createdAt: AT, updatedAt: AT };

let store: Store;
beforeEach(async () => (store = await openSqliteStore({ path: ':memory:', clock: systemClock })));
afterEach(() => store.close());

const noRegistry = () => {
  throw new Error('no Task may be made');
};
const runListeners = () => createRunListeners([createSessionRunListener(deps())], log);
const deps = () => ({
  onTurnEnded: () => Promise.resolve(),
  store,
  clock: systemClock,
  log,
  registry: noRegistry,
  runListeners,
  bindings: new Bindings(),
});

/** A Session whose first turn runs, and the claim of its run. */
async function runningTurn(): Promise<Claim> {
  return store.transaction(async (tx) => {
    await tx.insertObject({
      ...object,
      kind: 'Session',
      name: 'talk',
      uid: UID,
      labels: {},
      spec: { system: 'gone' },
      status: { phase: 'WaitingInput' },
    });
    const createdBy = partName('sessions');
    await tx.insertObject({
      ...object,
      kind: 'Task',
      ...TASK,
      createdBy,
      labels: {},
      spec: { system: 'gone' },
      status: { phase: 'Running' },
    });
    await sessionControls.put(tx, UID, { turns: 1, head: 0, active: 1 });
    await putTurn(tx, UID, {
      ...{ id: 'turn-1', sequence: 1, content: 'one', phase: 'Queued', attempt: 0, idempotencyKey: 'k1', createdBy: 'ann', createdAt: AT },
      task: TASK,
    });
    await turnBindings.put(tx, TASK.uid, { ...REF, uid: UID, sequence: 1 });
    await tx.enqueueWork({ queue: 'tasks', key: TASK.uid, ...REF, rank: 1, notBefore: 0, requirements: {} });
    const lease = { claimedAt: Date.now(), leaseUntil: Date.now() + 30_000 };
    return { queue: 'tasks', key: TASK.uid, owner: 'w1', fence: 1, ...lease, takeover: false } as unknown as Claim;
  });
}

const entryOf = (type: string, data: object) => ({ type, at: Date.now(), data }) as unknown as Entry;

const open = (claim: Claim) =>
  store.transaction(async (tx) => {
    const task = await tx.getObject({ kind: 'Task', namespace: 'default', name: TASK.name });
    invariant(task, 'the Task is stored');
    const opened = await createOpenRecord(deps())(tx, task, claim);
    invariant(opened, 'the Task runs a turn');
    const entries = [entryOf('run.claimed', { worker: claim.owner, fence: claim.fence, takeover: false, attempt: 1 })];
    await opened.onEntries(tx, { claim, lastSeq: 0, now: Date.now(), entries, state: newRunState() });
    return opened;
  });

test('notes on ends of branches pass from claim to claim, and the end of a turn reads no journal', async () => {
  const claim = { ...(await runningTurn()), queue: TASK_QUEUE };
  const snapshot = { agents: {}, task: { maxTurns: 3 }, system: { nodes: {} } };
  const attempt = { number: 2, snapshot, children: new Map(), turns: new Map(), joins: new Map(), review: {} };
  const state = { ...newRunState(), attempt, end: { output: {} } } as unknown as RunState;
  const ends = (agent: string, of: number) =>
    entryOf('agent.completed', { attempt: of, agent, turns_exhausted: true, labels: {}, hand_overs: [], output: '' });
  const first = await open(claim);
  first.committed();
  const entries = [ends('old', 1), ends('writer', 2)];
  await store.transaction((tx) => first.onEntries(tx, { claim, lastSeq: 1, now: Date.now(), entries, state }));
  first.committed();
  first.close();
  const next = await open({ ...claim, fence: 2 });
  next.committed();
  await store.transaction(async (tx) => {
    const unread = new Proxy(tx, {
      get: (target, key) => (key === 'readJournal' ? () => expect.unreachable() : Reflect.get(target, key).bind(target)),
    });
    const last = [ends('critic', 2), ends('critic', 2), entryOf('run.completed', { attempt: 2, output: {} })];
    await next.onEntries(unread, { claim, lastSeq: 4, now: Date.now(), entries: last, state });
  });
  next.committed();
  next.close();
  const { items } = await createSessionService(deps()).events(as('reader'), REF, { after: '0', limit: 100 });
  const note = 'max_turns reached: the branch ends here';
  expect(items.find(({ type }) => type === 'turn.completed')?.payload).toMatchObject({ notes: [`writer: ${note}`, `critic: ${note}`] });
});

test('an answer that is complete at once is stored as its first piece and the rest', async () => {
  const claim = { ...(await runningTurn()), queue: TASK_QUEUE };
  const snapshot = { agents: {}, task: {}, system: { nodes: {} } };
  const attempt = { number: 1, snapshot, children: new Map(), turns: new Map(), joins: new Map(), review: {} };
  const state = { ...newRunState(), attempt, end: { output: {} } } as unknown as RunState;
  const record = await open(claim);
  record.committed();
  const write = (entries: Entry[], lastSeq: number) =>
    store.transaction((tx) => record.onEntries(tx, { claim, lastSeq, now: Date.now(), entries, state }));
  await write([], 1);
  record.committed();
  const answer = record.beginText('t', { agent: 'writer' } as CallPlace);
  for (const text of ['The ', 'tide ', 'is ', 'high.']) answer.push(text);
  answer.end('recorded');
  await record.settle();
  await write([entryOf('run.completed', { attempt: 1, output: {} })], 1);
  record.close();
  const { items } = await createSessionService(deps()).events(as('reader'), REF, { after: '0', limit: 100 });
  expect(items.flatMap(({ type, payload }) => (type === 'message.delta' ? [payload['delta']] : []))).toEqual(['The ', 'tide is high.']);
});

test('a turn whose state is too large at the end of its run leaves no cancel signal', async () => {
  const claim = await runningTurn();
  const record = await open(claim);
  record.committed();
  const failure = { code: 'x', message: 'x'.repeat(5_000_000), retryable: false };
  const state = { ...newRunState(), status: 'finished', lastFailure: failure, end: { output: {} } } as unknown as RunState;
  const entries = [entryOf('run.completed', { attempt: 1, output: {} })];
  await store.transaction((tx) => record.onEntries(tx, { claim, lastSeq: 1, now: Date.now(), entries, state }));
  expect(await readTurn(store, UID, 1)).toMatchObject({ phase: 'Failed' });
  expect(await store.readSignals(TASK.uid)).toEqual([]);
});

test('a turn whose state is too large keeps its place until its run has ended', async () => {
  const claim = await runningTurn();
  const record = await open(claim);
  record.committed();
  const failure = { code: 'x', message: 'x'.repeat(5_000_000), retryable: false };
  const state: RunState = { ...newRunState(), lastFailure: failure };
  const entries = [entryOf('agent.completed', { turn_id: 't', agent: 'a', output: '', labels: {}, hand_overs: [] })];
  await store.transaction((tx) => record.onEntries(tx, { claim, lastSeq: 1, now: Date.now(), entries, state }));
  record.committed();
  expect(await readTurn(store, UID, 1)).toMatchObject({ phase: 'Failed', lastError: expect.stringContaining('at most 4194304') });

  const { turn } = await createSessionService(deps()).submit(as('writer'), REF, { content: 'two', idempotencyKey: 'k2' });
  expect(turn).toMatchObject({ queue_sequence: 2, phase: 'Queued' });
  expect(await sessionControls.get(store, UID)).toMatchObject({ active: 1 });

  await store.transaction(async (tx) => {
    const task = await tx.getObject({ kind: 'Task', namespace: 'default', name: TASK.name });
    invariant(task, 'the Task is stored');
    const { uid, name, namespace, createdBy } = task;
    const ended = { kind: 'ended', how: 'cancelled', failure: undefined, output: {}, usage: { inputTokens: 0, outputTokens: 0 } };
    await createSessionRunListener(deps()).onRunChange(tx, { metadata: { uid, name, namespace, createdBy } } as never, ended as never);
  });
  expect(await readTurn(store, UID, 1)).toMatchObject({ phase: 'Failed' });
  // It has begun: its agent system is missing.
  expect(await readTurn(store, UID, 2)).toMatchObject({ phase: 'Failed', lastError: 'AgentSystem default/gone does not exist' });
  const session = await store.getObject({ kind: 'Session', ...REF });
  expect(session && statusOf('Session', session)).toMatchObject({ phase: 'Failed' });
  record.close();
});
