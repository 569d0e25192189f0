// Writes whose answer is lost.
import { act, renderHook, waitFor } from '@testing-library/react';
import type { Resource } from '@svc/shared/resource';
import { expect, test, vi } from 'vitest';
import { refusal, serve } from '../testing/fake-link.ts';
import { objectOf } from '../testing/fake-objects.ts';
import { objectYaml } from '../yaml/serialise.ts';
import { useApply } from './use-apply.ts';

const base = objectOf('AgentRole', 'reader', { spec: { description: 'before' } });
const after = (description: string): Resource => ({
  ...base,
  metadata: { ...base.metadata, resourceVersion: '2' },
  spec: { description },
});
const lost = () => new TypeError('Failed to fetch');

/** A server that stores a write and loses the answer. */
function setup({ stored = after('mine'), readable = true } = {}) {
  const server = { stored: base, readable, away: false };
  serve({
    resources: {
      get: () => {
        if (!server.readable) throw lost();
        return server.stored;
      },
      write: ({ dryRun, resourceVersion, body }) => {
        if (server.away) throw refusal('unavailable', 'it starts');
        if (resourceVersion !== server.stored.metadata.resourceVersion) throw refusal('conflict', 'changed');
        const same = JSON.stringify((body as Resource).spec) === JSON.stringify(server.stored.spec);
        if (dryRun) return { resource: after('mine'), action: same ? 'unchanged' : 'configured', warnings: [], crdManaged: false };
        server.stored = stored;
        throw lost();
      },
    },
  });
  const onApplied = vi.fn();
  const text = objectYaml(after('mine'));
  const target = { kind: 'AgentRole', namespace: 'ops', name: 'reader' };
  const { result, rerender } = renderHook(({ now }) => useApply({ target, text: now, base, onRebase: () => undefined, onApplied }), {
    initialProps: { now: text },
  });
  const step = () => result.current.state.step;
  const review = async () => {
    act(() => result.current.review());
    await waitFor(() => expect(step()).not.toBe('asking'));
  };
  const write = async () => {
    await review();
    act(() => result.current.write());
    await waitFor(() => expect(step()).toBe('editing'));
  };
  return { server, result, onApplied, review, write, step, text, type: rerender };
}

test('a write that was stored counts as applied', async () => {
  const { write, onApplied, result, text } = setup();
  await write();
  expect(onApplied.mock.calls).toEqual([[after('mine'), 'configured', text]]);
  expect(result.current.failure).toBeUndefined();
});

test('a write whose object cannot be read is unknown, and counts as applied once a review finds it', async () => {
  const { server, write, review, onApplied, result, text } = setup({ readable: false });
  await write();
  expect(result.current).toMatchObject({ unsure: true, failure: { code: 'unreachable' } });
  expect(onApplied).not.toHaveBeenCalled();
  server.readable = true;
  await review();
  expect(onApplied.mock.calls).toEqual([[after('mine'), 'configured', text]]);
});

test('a refusal after a write without an answer leaves its outcome unknown', async () => {
  const { server, write, review, onApplied, result, text } = setup({ readable: false });
  await write();
  server.away = true;
  await review();
  expect(result.current).toMatchObject({ unsure: true, failure: { code: 'unavailable' } });
  Object.assign(server, { away: false, readable: true });
  await review();
  expect(onApplied.mock.calls).toEqual([[after('mine'), 'configured', text]]);
});

test('a write that another one followed is a conflict', async () => {
  const { write, review, onApplied, result, step } = setup({ stored: after('theirs') });
  await write();
  expect(result.current.unsure).toBe(true);
  await review();
  expect(step()).toBe('conflict');
  expect(onApplied).not.toHaveBeenCalled();
});

test('the reviewed text is written, and not what was typed since', async () => {
  const { review, type, result, onApplied, text, step } = setup();
  await review();
  type({ now: objectYaml(after('typed on')) });
  act(() => result.current.write());
  await waitFor(() => expect(step()).toBe('editing'));
  expect(onApplied.mock.calls).toEqual([[after('mine'), 'configured', text]]);
});
