// Users while the server is lost, when nothing that writes can be pressed, and while a user is created.
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { connection } from '../../live/connection.ts';
import { serve } from '../../testing/fake-link.ts';
import { renderAt } from '../../testing/render-at.tsx';
import { CreateUserDialog } from './CreateUserDialog.tsx';
import { UsersPage } from './UsersPage.tsx';

afterEach(() => act(() => connection.synced()));

test('a lost server disables the changes of users, with the reason', async () => {
  serve({
    server: { hello: () => ({ identity: { name: 'root', role: 'admin' } }) },
    users: { list: () => ({ items: [{ username: 'ada', role: 'writer', created_at: '2026-01-01T00:00:00.000Z' }] }) },
  });
  await renderAt('/n/-/users', UsersPage);
  const role = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Role of ada' });
  act(() => connection.synced());
  expect(role.disabled).toBe(false);
  act(() => connection.closed(1006));
  expect(role.disabled).toBe(true);
  expect(role.title).toMatch(/not reachable/);
  for (const name of ['New user', 'Reset the password of ada', 'Delete ada'])
    expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
});

test('the dialog of a new user stays open while the only answer with its secret is on the way', async () => {
  let answer: (made: object) => void = () => undefined;
  const [create, onClose] = [vi.fn(() => new Promise((resolve) => (answer = resolve))), vi.fn()];
  serve({ server: { hello: () => ({ identity: { name: 'root', role: 'admin' } }) }, users: { create } });
  await renderAt('/n/-/settings', () => <CreateUserDialog onClose={onClose} onCreated={() => undefined} />);
  await userEvent.type(await screen.findByLabelText(/^Name/), 'robot{Enter}');
  await waitFor(() => expect(create).toHaveBeenCalled());
  await userEvent.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  answer({ username: 'robot', password: 'secret-once', token: 'secret-once' });
  expect(await screen.findByDisplayValue('secret-once')).toBeDefined();
});
