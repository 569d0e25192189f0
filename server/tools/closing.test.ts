import { expect, test } from 'vitest';
import { fakeIsolation } from '../testing/fake-isolation.ts';
import { callFailure, toolCall, toolDeps } from '../testing/tool-deps.ts';
import { createToolPort } from './create-tool-port.ts';

test('a port that is closed waits until aborted calls have removed what they started', async () => {
  const removed: string[] = [];
  const { isolation } = fakeIsolation();
  let tellStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (tellStarted = resolve));
  const slow = {
    ...isolation,
    engineFor: () => ({
      ...isolation.engineFor('sandboxed', 'a tool'),
      run: ({ signal, owner }: { signal: AbortSignal; owner: { requestId: string } }) =>
        new Promise<never>((_, reject) => {
          tellStarted();
          signal.addEventListener('abort', () => {
            setTimeout(() => {
              removed.push(owner.requestId);
              reject(signal.reason as Error);
            }, 50);
          });
        }),
    }),
  };
  const port = createToolPort({ ...toolDeps(), isolation: slow });
  const abort = new AbortController();
  const spec = { type: 'cli', cli: { command: 'sleep', image: 'i:1' }, runtime: { isolation_mode: 'sandboxed' } };
  const call = callFailure(port.invoke(toolCall(spec), { signal: abort.signal }));
  await started;
  abort.abort();
  await port.close();
  expect(removed).toEqual(['req-1']);
  expect(await call).toMatchObject({ code: 'canceled' });
});
