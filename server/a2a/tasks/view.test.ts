import { expect, test } from 'vitest';
import type { StoreReader } from '../../store/store.ts';
import type { TaskRecord } from './records.ts';
import { seeLatest } from './view.ts';

test('the time of a task is that of its state, even when its run ends between the reads', async () => {
  const ref = { namespace: 'default', name: 'run', uid: 'u' };
  const record = { run: { kind: 'task', task: ref }, id: 'u-1', contextId: 'c', messages: [] };
  const documents = [1_000, 2_000, 2_000].map((changedAt) => ({ ...record, changedAt }) as unknown as TaskRecord);
  const reader = {
    getDocument: () => Promise.resolve(documents.shift()),
    getObject: () => Promise.resolve({ kind: 'Task', ...ref, spec: {}, status: { phase: 'Succeeded', output: {} } }),
  } as unknown as StoreReader;
  const latest = await seeLatest(reader, 'u');
  expect(latest?.seen?.task).toMatchObject({ state: 'completed', timestamp: '1970-01-01T00:00:02.000Z' });
  expect(documents).toEqual([]);
});
