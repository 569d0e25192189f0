// Bindings of Tasks to turns are read from the store once.
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { Bindings } from './bindings.ts';
import { overlay } from '../overlay.ts';

test('a process reads the binding of a Task once, and none that it wrote', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  let reads = 0;
  const reader = overlay(store, {
    getDocument(...args) {
      reads += 1;
      return store.getDocument(...args);
    },
  });
  const binding = { namespace: 'default', name: 'talk', uid: 'the-session', sequence: 1 };
  const [writer, other] = [new Bindings(), new Bindings()];
  await store.transaction((tx) => writer.put(tx, 'the-task', binding));
  expect([await writer.read(reader, 'the-task'), reads]).toEqual([binding, 0]);
  expect([await other.read(reader, 'the-task'), await other.read(reader, 'the-task'), reads]).toEqual([binding, binding, 1]);
  expect(await other.read(reader, 'another-task')).toBeUndefined();
  await store.close();
});
