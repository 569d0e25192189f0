// Applies whose answer is lost.
import { act, renderHook, waitFor } from '@testing-library/react';
import type { Resource } from '@svc/shared/resource';
import { expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { objectYaml } from '../../../yaml/serialise.ts';
import { useSystemApply } from './use-system-apply.ts';

const base = objectOf('AgentRole', 'reader', { spec: { description: 'before' } });
const mine: Resource = { ...base, metadata: { ...base.metadata, resourceVersion: '2' }, spec: { description: 'mine' } };
const lost = () => new TypeError('Failed to fetch');
const asText = (resource: unknown) => JSON.stringify((resource as Resource).spec);

/** A server that loses the answer to an apply, which it stores or not. */
function setup({ stores = true, readable = true } = {}) {
  const server = { stored: base, readable, away: false };
  serve({
    resources: {
      get: () => {
        if (!server.readable) throw lost();
        return server.stored;
      },
      write: ({ body }) => ({ resource: mine, action: asText(body) === asText(server.stored) ? 'unchanged' : 'configured', warnings: [] }),
      applyAll: ({ dryRun }) => {
        if (server.away) throw refusal('unavailable', 'it starts');
        if (dryRun) return [{ kind: 'AgentRole', namespace: 'ops', name: 'reader', action: 'configured' }];
        if (stores) server.stored = mine;
        throw lost();
      },
    },
  });
  const onApplied = vi.fn();
  const object = { kind: 'AgentRole', namespace: 'ops', name: 'reader', text: objectYaml(mine), base };
  const idle = () => undefined;
  const options = { namespace: 'ops', system: 'ops/desk', objects: [object], onMerged: idle, onRebase: idle, onApplied };
  const { result } = renderHook(() => useSystemApply(options));
  const settled = (step: string) => waitFor(() => expect(result.current.state.step).toBe(step));
  const apply = async (step: string) => {
    act(() => result.current.review());
    await settled('review');
    act(() => result.current.write());
    await settled(step);
  };
  return { server, result, onApplied, object, apply, settled };
}

test('an apply that was stored counts as applied', async () => {
  const { apply, onApplied, object } = setup();
  await apply('editing');
  expect(onApplied.mock.calls).toEqual([[[mine], [object]]]);
});

test('an apply whose objects cannot be read is unknown, and counts as applied after a review finds them', async () => {
  const { server, apply, settled, result, onApplied, object } = setup({ readable: false });
  await apply('review');
  expect(result.current.state).toMatchObject({ reviewed: { unsure: true, failure: { code: 'unreachable' } } });
  expect(onApplied).not.toHaveBeenCalled();
  server.away = true;
  act(() => result.current.review());
  await settled('review');
  expect(result.current.state).toMatchObject({ reviewed: { unsure: true, failure: { code: 'unavailable' } } });
  Object.assign(server, { away: false, readable: true });
  act(() => result.current.review());
  await settled('editing');
  expect(onApplied.mock.calls).toEqual([[[mine], [object]]]);
});

test('an apply that was not stored is reviewed again', async () => {
  const { apply, settled, result, onApplied } = setup({ stores: false });
  await apply('review');
  expect(result.current.state).toMatchObject({ reviewed: { unsure: true } });
  act(() => result.current.review());
  await settled('review');
  expect(result.current.state).toMatchObject({ reviewed: { unsure: false, failure: undefined } });
  expect(onApplied).not.toHaveBeenCalled();
});
