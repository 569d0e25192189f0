// Followers of revocations: how long the change log is read for them.
import { expect, it } from 'vitest';
import type { WatchService } from '../../registry/watch/watch.ts';
import { Revocations } from './revocations.ts';

type WatchEvents = WatchService['watchEvents'];

it('ends all of its reads when one of them fails, and begins again with the next follower', async () => {
  const open = new Set<string>();
  let fail: () => void = () => undefined;
  const watchEvents = async function* (_context, { kind = '' }, { signal }) {
    open.add(kind);
    await new Promise<void>((resolve, reject) => {
      if (kind === 'Token') fail = () => reject(new Error('the store is gone'));
      signal.addEventListener('abort', () => resolve());
    }).finally(() => open.delete(kind));
    yield [];
  } as WatchEvents;
  const revocations = new Revocations({ watchEvents }, ['Token', 'BrowserSession']);
  const unfollow = revocations.follow(() => undefined);
  expect([...open]).toEqual(['Token', 'BrowserSession']);
  fail();
  await expect.poll(() => [...open], { timeout: 10_000 }).toEqual([]);
  const other = revocations.follow(() => undefined);
  expect([...open]).toEqual(['Token', 'BrowserSession']);
  unfollow();
  other();
  await expect.poll(() => [...open], { timeout: 10_000 }).toEqual([]);
});
