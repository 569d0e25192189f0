import { waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderAt } from '../testing/render-at.tsx';
import { useAsked } from './use-asked.ts';

test('a question of the address is opened and taken out of it; another one stays', async () => {
  const open = vi.fn();
  function Page() {
    useAsked('run', open);
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
