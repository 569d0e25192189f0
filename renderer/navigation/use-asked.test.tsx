import { waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderAt } from '../testing/render-at.tsx';
import { useAskParameter } from './use-ask-parameter.ts';

test('a matching ask parameter opens its dialog and is removed from the address; others stay', async () => {
  const open = vi.fn();
  function Page() {
    useAskParameter('run', open);
    return null;
  }
  const { address, go } = await renderAt('/n/ops/agent-systems/desk?tab=runs&ask=run', Page);
  await waitFor(() => expect(address()).toBe('/n/ops/agent-systems/desk?tab=runs'));
  expect(open).toHaveBeenCalled();
  open.mockClear();
  await go('/n/ops/agent-systems/desk?ask=cancel');
  expect(address()).toBe('/n/ops/agent-systems/desk?ask=cancel');
  expect(open).not.toHaveBeenCalled();
});
