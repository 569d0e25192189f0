import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { serve } from '../../testing/fake-link.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { CreateTokenDialog } from './CreateTokenDialog.tsx';
import { SettingsPage } from './SettingsPage.tsx';

test('a link to the settings of the desktop app shows the notifications in a browser', async () => {
  serve({ preferences: { get: () => ({}) } });
  await renderAt('/n/ops/settings?tab=desktop', SettingsPage, '/n/$ns/settings');
  expect(screen.getByRole('tab', { name: 'Notifications', selected: true })).toBeDefined();
});

test('the dialog of a new token stays open while the only answer with its secret is on the way', async () => {
  let answer: (made: object) => void = () => undefined;
  const [create, onClose] = [vi.fn(() => new Promise((resolve) => (answer = resolve))), vi.fn()];
  serve({ server: { hello: () => ({ identity: { name: 'root', role: 'admin' } }) }, tokens: { create } });
  await renderAt('/n/-/settings', () => <CreateTokenDialog turnsAuthOn={false} onClose={onClose} onCreated={() => undefined} />);
  await userEvent.type(await screen.findByLabelText(/^Name/), 'robot{Enter}');
  await waitFor(() => expect(create).toHaveBeenCalled());
  await userEvent.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  answer({ username: 'robot', password: 'secret-once', token: 'secret-once' });
  expect(await screen.findByDisplayValue('secret-once')).toBeDefined();
});
