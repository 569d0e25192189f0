// Test deliveries whose answer was lost.
import { QueryClient } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { queryWrapper } from '../../../testing/query-wrapper.tsx';
import { TestDeliveryDialog } from './TestDeliveryDialog.tsx';

test('sends a delivery again under its event id until its body is another', async () => {
  const sent: { readonly body: string; readonly eventId: string }[] = [];
  serve({
    server: { hello: () => ({ identity: { name: 'ana', role: 'writer' }, features: [] }) },
    webhooks: {
      test: ({ body, eventId }) => {
        sent.push({ body, eventId });
        throw refusal('internal', 'the answer was lost');
      },
    },
  });
  const metadata = { namespace: 'default', name: 'hook' };
  render(<TestDeliveryDialog resource={{ kind: 'TaskWebhook', metadata, spec: {}, status: {} } as never} onClose={() => undefined} />, {
    wrapper: queryWrapper(new QueryClient()),
  });
  const send = async (count: number) => {
    await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).not.toBe('true'), {
      timeout: 5_000,
    });
    await userEvent.click(screen.getByRole('button', { name: 'Send' }));
    await vi.waitFor(() => expect(sent).toHaveLength(count), { timeout: 20_000 });
    await screen.findByText('The delivery was not accepted', undefined, { timeout: 5_000 });
  };
  await send(1);
  await send(2);
  await userEvent.type(screen.getByLabelText('Body'), ' ');
  await send(3);
  const [first, again, other] = sent.map(({ eventId }) => eventId);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
