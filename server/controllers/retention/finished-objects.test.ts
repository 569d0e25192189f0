// Approvals and Sessions that retention may delete.
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { timestamp } from '../../clock.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createRetention, type RetentionOptions } from './controller.ts';
import { APPROVALS, SESSIONS, type RetentionSubject } from './finished-objects.ts';
import { parseRetention } from './limits.ts';

const HOUR_MS = 3_600_000;

let clock: ManualClock;
let store: Store;
let removed: string[];
beforeEach(async () => {
  clock = createManualClock();
  store = await openSqliteStore({ path: ':memory:', clock });
  onTestFinished(() => store.close());
  removed = [];
});

interface Content {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

async function put(kind: string, name: string, { labels = {}, spec = {}, status }: Content): Promise<void> {
  clock.advance(1);
  const at = timestamp(clock.now());
  const rest = { resourceVersion: 1, generation: 1, namespace: 'default', uid: name, annotations: {}, createdAt: at, updatedAt: at };
  await store.transaction((tx) => tx.insertObject({ kind, name, labels, spec, status, ...rest }));
}

const registry: RetentionOptions['registry'] = {
  async remove(_context, { kind, namespace, name }) {
    const object = await store.getObject({ kind, namespace, name });
    if (!object) throw new Error(`${name} does not exist`);
    await store.transaction((tx) => tx.deleteObject(object, timestamp(clock.now())));
    removed.push(name);
    return object as never;
  },
};

async function run(flag: string, subject: RetentionSubject): Promise<string[]> {
  const retention = parseRetention(flag);
  if (typeof retention === 'string') throw new Error(retention);
  const report = { onRemoved: () => undefined, reportError: () => undefined };
  await createRetention({ store, clock, registry, retention, subject, ...report }).runOnce();
  return removed.sort();
}

test.each(APPROVALS.map((subject) => [subject.kind, subject] as const))(
  'deletes each %s past its age once its Task is deleted, and no pending one',
  async (kind, subject) => {
    await put('Task', 'kept', { spec: { system: 's' }, status: { phase: 'Succeeded' } });
    const decided = { decision: 'approved', decided_at: timestamp(clock.now()) };
    await put(kind, 'approved', { spec: { task_ref: 'gone' }, status: { phase: 'Approved', ...decided } });
    await put(kind, 'expired', { spec: { task_ref: 'default/gone' }, status: { phase: 'Expired' } });
    await put(kind, 'pending', { spec: { task_ref: 'gone' }, status: { phase: 'Pending' } });
    await put(kind, 'of-kept-task', { spec: { task_ref: 'kept' }, status: { phase: 'Approved', ...decided } });
    clock.advance(HOUR_MS);
    await put(kind, 'new', { spec: { task_ref: 'gone' }, status: { phase: 'Denied', decided_at: timestamp(clock.now()) } });
    expect(await run('1h', subject)).toEqual(['approved', 'expired']);
  },
);

test('deletes ended Sessions past their age, those of chats and A2A excepted', async () => {
  const ended = { phase: 'Completed', completedAt: timestamp(clock.now()) };
  await put('Session', 'ended', { status: ended });
  await put('Session', 'cancelled', { labels: { team: 'x' }, status: { ...ended, phase: 'Cancelled' } });
  await put('Session', 'chat', { labels: { 'svc.dev/created-by': 'chat' }, status: ended });
  await put('Session', 'a2a', { labels: { 'svc.dev/created-by': 'a2a' }, status: ended });
  for (const phase of ['WaitingInput', 'Running', 'WaitingApproval', 'Paused', 'Failed'])
    await put('Session', phase.toLowerCase(), { status: { phase } });
  clock.advance(2 * HOUR_MS);
  expect(await run('1h', SESSIONS)).toEqual(['cancelled', 'ended']);
});
