import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { ImportSwitch } from './ImportSwitch.tsx';

test('two tools that are imported at once are both in the filter', async () => {
  let include = ['find'];
  const docs = () =>
    objectOf('McpServer', 'docs', {
      spec: { transport: 'http', tool_filter: { include } },
      status: { discoveredTools: ['find', 'fetch', 'drop'] },
    });
  const write = vi.fn(({ body }: { readonly body: unknown }) => {
    include = (body as { spec: { tool_filter: { include: string[] } } }).spec.tool_filter.include;
    return { resource: docs() };
  });
  serve({ server: { hello: () => ({ identity: { name: 'ann', role: 'admin' }, features: [] }) }, resources: { get: docs, write } });
  const server = docs();
  await renderAt('/n/ops/mcp-servers/docs', () =>
    ['fetch', 'drop'].map((name) => <ImportSwitch key={name} {...{ server, name }} imported={false} />),
  );
  const buttons = await screen.findAllByRole('button', { name: 'Import' });
  await waitFor(() => expect(buttons[0]?.getAttribute('aria-disabled')).not.toBe('true'));
  for (const button of buttons) fireEvent.click(button);
  await waitFor(() => expect(write).toHaveBeenCalledTimes(2));
  expect(include).toEqual(['find', 'fetch', 'drop']);
});
