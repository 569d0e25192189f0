// Lists of tasks by their state, where the messages of the tasks are long.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { overlay } from '../../overlay.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { listTasks } from './list.ts';
import { addRecord, type TaskRecord } from './records.ts';
import type { AgentCall } from './task-service.ts';

const TASKS = 30;
const system = { namespace: 'default', name: 'echo', uid: 'system-uid' };
const uidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const long = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x'.repeat(1024 * 1024) }] } as const;

function recordOf(index: number): TaskRecord {
  const session = { namespace: 'default', name: `s${index}`, uid: uidOf(index) };
  const run = { kind: 'turn', session, sequence: 1 } as const;
  return { id: `${session.uid}-1`, owner: 'bearer:partner', system, contextId: 'c', run, messages: [long], changedAt: index + 1 };
}

test('a page reads a bounded amount, tasks of other states included, and the pages find every match', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  for (let index = 0; index < TASKS; index += 1)
    await store.transaction(async (tx) => {
      await addRecord(tx, recordOf(index));
      // The oldest task is on the last page.
      const phase = index === 0 ? 'Cancelled' : 'Succeeded';
      await tx.putDocument('session-turns', `${uidOf(index)}/0000000001`, { phase, output: 'said' });
    });
  let read = 0;
  const counted = overlay(store, {
    getDocument(collection, id) {
      if (collection === 'a2a-tasks') read += 1;
      return store.getDocument(collection, id);
    },
  });
  const call = { context: { identity: { method: 'bearer', name: 'partner', role: 'a2a' } }, system } as unknown as AgentCall;
  const found: string[] = [];
  let pageToken = '';
  do {
    read = 0;
    const page = await listTasks({ store: counted }, call, { state: 'canceled', pageSize: 50, pageToken });
    // Each task is read twice, at most 5 of the page and 16 of the count.
    expect(read).toBeLessThanOrEqual(42);
    found.push(...page.tasks.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(found).toEqual([recordOf(0).id]);
});
