import { expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import { StreamHub, type HubOptions } from './stream-hub.ts';

test('a reserved stream that is dropped aborts the signal of its feed and releases its place', async () => {
  const hub = new StreamHub({ maxStreams: 1, maxStreamsPerAddress: 1, streamKeepAliveMs: 1_000 } as HubOptions);
  const caller = { purpose: 'mcp', address: '127.0.0.1', stillAllowed: () => Promise.resolve() } as const;
  const signals: AbortSignal[] = [];
  const reserve = () => hub.reserve(caller.address, () => hub.reply(caller, (signal) => (signals.push(signal), () => Promise.resolve())));
  const reply = await reserve();
  await expect(reserve()).rejects.toThrow('maximum of 1 open streams');
  if (reply.type === 'stream') await reply.drop?.();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await reserve()).toMatchObject({ type: 'stream' });
  hub.closeAll('server_shutting_down');
});

test('a refused stream aborts the signal of its feed', async () => {
  const hub = new StreamHub({ maxStreams: 0, maxStreamsPerAddress: 1, streamKeepAliveMs: 1_000 } as HubOptions);
  const caller = { purpose: 'mcp', address: '127.0.0.1', stillAllowed: () => Promise.resolve() } as const;
  let ended: AbortSignal | undefined;
  const reply = await hub.reply(caller, (signal) => {
    ended = signal;
    return () => Promise.resolve();
  });
  await expect(reply.write({} as ServerResponse)).rejects.toThrow('maximum of 0 open streams');
  expect(ended?.aborted).toBe(true);
  hub.closeAll('server_shutting_down');
});
