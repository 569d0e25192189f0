// When a quiet process gives its memory back.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQuietCollector } from './quiet-collection.ts';

const MB = 1024 * 1024;
let heap: number;
let collected: number;
let onCollection: () => void;
const collect = () => {
  collected += 1;
  heap = 50 * MB;
  // Reported as every other collection is.
  onCollection();
  return Promise.resolve();
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  heap = 80 * MB;
  collected = 0;
  onCollection = createQuietCollector({ collect, heapBytes: () => heap });
});
afterEach(() => void vi.useRealTimers());

it('collects once after ten seconds without a collection of the heap', async () => {
  for (let i = 0; i < 10; i += 1) {
    onCollection();
    await vi.advanceTimersByTimeAsync(6_000);
  }
  expect(collected).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(collected).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(collected).toBe(1);
});

it('collects again only after the heap has grown', async () => {
  onCollection();
  await vi.advanceTimersByTimeAsync(30_000);
  heap += 10 * MB;
  onCollection();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(collected).toBe(1);
  heap += 10 * MB;
  onCollection();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(collected).toBe(2);
});

it('has no timer while nothing happens', async () => {
  onCollection();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

it('collects in a process without a free file descriptor', async () => {
  const usage = vi.spyOn(process, 'memoryUsage').mockImplementation(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  onCollection = createQuietCollector({ collect });
  onCollection();
  await vi.advanceTimersByTimeAsync(30_000);
  usage.mockRestore();
  expect(collected).toBe(1);
});
