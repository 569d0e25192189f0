// Callers who wait in vain learn why.
import { expect, it, vi } from 'vitest';
import { Turns } from './turns.ts';

it.each([
  ['other requests', true, '1 requests wait for Memory default/m already; try again in a few seconds'],
  ['unsent answers', false, 'The server has too many unsent answers at the moment; try again in a few seconds'],
])('says that %s were in the way', async (_, room, message) => {
  vi.useFakeTimers();
  let hasRoom = true;
  const turns = new Turns({ max: 1, hasRoom: () => hasRoom, busy: '1 requests wait for Memory default/m already' });
  await turns.take();
  hasRoom = room;
  const late = turns.take();
  late.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(late).rejects.toMatchObject({ code: 'unavailable', message, retryAfterSeconds: 5 });
  vi.useRealTimers();
});
