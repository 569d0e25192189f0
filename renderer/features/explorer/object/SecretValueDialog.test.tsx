// Dialog of a Secret's value over a fake server.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import { SecretValueDialog } from './SecretValueDialog.tsx';

test('Escape closes the dialog, but not while the value is written', async () => {
  const onClose = vi.fn();
  let answer: (value: unknown) => void = () => undefined;
  const write = vi.fn(() => new Promise((resolve) => (answer = resolve)));
  serve({ server: { hello: () => ({ time: new Date().toISOString(), identity: { role: 'writer' } }) }, resources: { write } });
  const secret = objectOf('Secret', 'mail');
  await renderAt('/n/ops/secrets/mail', () => <SecretValueDialog secret={secret} secretKey="value" keys={['value']} onClose={onClose} />);
  const submit = await screen.findByRole('button', { name: 'Set the value' });
  fireEvent.change(screen.getByLabelText(/^Value/), { target: { value: 'secret-text' } });
  await waitFor(() => expect(submit.matches(':disabled, [aria-disabled="true"]')).toBe(false));
  fireEvent.click(submit);
  await waitFor(() => expect(write).toHaveBeenCalledOnce());
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(onClose).not.toHaveBeenCalled();
  answer({ resource: secret });
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});
