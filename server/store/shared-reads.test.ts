// Readers at one place share a reading, and never one from before a commit that woke them.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SharedReads } from './shared-reads.ts';
import type { CommitNotice } from './store.ts';

function setup() {
  let commit = (_stream: string): void => undefined;
  const onCommit = (listener: (notice: CommitNotice) => void) => {
    commit = (stream) => listener({ journals: new Set([stream]) } as unknown as CommitNotice);
    return () => undefined;
  };
  const reads = new SharedReads<number>({ onCommit }, ({ journals }) => journals);
  let looks = 0;
  const look = () => Promise.resolve((looks += 1));
  return { read: (stream: string, place: string) => reads.read(stream, place, look), commit: (stream: string) => commit(stream) };
}

test('one reading answers all who ask for a place of a stream in one turn', async () => {
  const { read } = setup();
  const answers = [read('run', '1'), read('run', '1'), read('run', '2'), read('other', '1')];
  expect(await Promise.all(answers)).toEqual([1, 1, 2, 3]);
  expect(await read('run', '1')).toBe(1);
  await setImmediate();
  await setImmediate();
  expect(await read('run', '1')).toBe(4);
});

test('a reading from before a commit of its stream is not shared with readers after it', async () => {
  const { read, commit } = setup();
  const before = read('run', '1');
  commit('other');
  expect(await read('run', '1')).toBe(1);
  commit('run');
  expect(await read('run', '1')).toBe(2);
  expect(await before).toBe(1);
  await setImmediate();
  await setImmediate();
  expect(await read('run', '1')).toBe(3);
});
