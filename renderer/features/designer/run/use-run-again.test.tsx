// A repeated run whose answer was lost.
import { act, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { toast } from 'sonner';
import { beforeEach, expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { useRunAgain } from './use-run-again.ts';

beforeEach(() => void toast.dismiss());

/** A server that stores runs and loses the first answer. */
async function setup({ readable = true } = {}) {
  const stored: string[] = [];
  serve({
    server: { hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }) },
    resources: {
      get: ({ name }) => {
        if (!readable) throw new TypeError('Failed to fetch');
        return objectOf('Task', name, { spec: { system: 'desk' } });
      },
      write: ({ body }) => {
        const { name } = (body as { readonly metadata: { readonly name: string } }).metadata;
        if (stored.includes(name)) throw refusal('conflict', 'taken');
        if (stored.push(name) === 1) throw new TypeError('Failed to fetch');
        return { resource: objectOf('Task', name) };
      },
    },
  });
  const onStarted = vi.fn();
  function Runner() {
    const [changed, setChanged] = useState(false);
    const prepare = changed ? () => Promise.resolve(true) : undefined;
    const options = { namespace: 'ops', system: 'desk', task: 'earlier', trial: undefined, onStarted, onAsk: vi.fn(), onCompare: vi.fn() };
    const { run, busy, reason } = useRunAgain({ ...options, prepare });
    return (
      <>
        <button type="button" disabled={busy || reason !== undefined} onClick={run}>
          Again
        </button>
        <button type="button" onClick={() => setChanged(true)}>
          Change
        </button>
      </>
    );
  }
  await renderAt('/n/ops/agent-systems/desk', Runner);
  const press = async () => {
    const button = await screen.findByRole('button', { name: 'Again' });
    await waitFor(() => expect(button).toHaveProperty('disabled', false));
    act(() => button.click());
    await waitFor(() => expect(button).toHaveProperty('disabled', false));
  };
  return { stored, onStarted, press };
}

test('the next press shows the run that the first one started', async () => {
  const { stored, onStarted, press } = await setup();
  await press();
  await press();
  expect(stored).toHaveLength(1);
  expect(onStarted.mock.calls).toEqual([[stored[0]]]);
});

test('changed definitions make another run', async () => {
  const { stored, onStarted, press } = await setup();
  await press();
  act(() => screen.getByRole('button', { name: 'Change' }).click());
  await press();
  expect(stored).toHaveLength(2);
  expect(onStarted.mock.calls).toEqual([[stored[1]]]);
});

test('a run whose predecessor could not be read was not started', async () => {
  const { press } = await setup({ readable: false });
  await press();
  await waitFor(() => expect(toast.getToasts()).toMatchObject([{ title: 'The run could not be started' }]));
});
