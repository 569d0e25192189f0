// Users while the server is lost: nothing that writes can be pressed.
import { act, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { connection } from '../../live/connection.ts';
import { serve } from '../../testing/fake-link.ts';
import { renderAt } from '../../testing/render-at.tsx';
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
