// Signing in: a token becomes a cookie that scripts cannot read, the role is shown, and an expired sign-in is renewed in place.
import { createWorld, type World } from '../world/world.ts';
import { browserOnly, expect, test } from './fixtures.ts';

browserOnly('The app signs its window in by itself.');

const ADMIN = 'secret-of-the-admin';

let guarded: World;
test.beforeAll(async () => {
  guarded = await createWorld({ token: ADMIN, env: { SVC_API_TOKENS: `root:${ADMIN}:admin` } });
  await guarded.apply('{"kind":"AgentRole","metadata":{"name":"clerk"},"spec":{"permissions":["ledger.read"]}}');
});
test.afterAll(() => guarded?.dispose());

const tokenOf = async (name: string, role: string): Promise<string> =>
  ((await guarded.call('POST', '/v1/tokens', { name, role })) as { token: string }).token;

/** The browser itself writes refused requests to the console. */
const REFUSED = /status of (401|403)|no valid credentials/;

test('sign-in exchanges a token for a cookie, keeps it nowhere and opens the requested page', async ({ page, signals }) => {
  signals.allow(REFUSED);
  await page.goto(`${guarded.url}/n/default/agent-roles?labels=x`);
  await expect(page.getByText('You return to /n/default/agent-roles')).toBeVisible();
  const field = page.getByLabel('API token');
  await expect(field).toBeFocused();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Paste an API token first.')).toBeVisible();
  await field.fill('not-a-token');
  await field.press('Enter');
  await expect(page.getByText('The server rejected this token.')).toBeVisible();
  await field.fill(ADMIN);
  await field.press('Enter');
  await expect(page.getByRole('heading', { name: 'Agent roles', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/agent-roles\?labels=x/);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([{ httpOnly: true, sameSite: 'Lax' }]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  expect(kept + JSON.stringify(cookies)).not.toContain(ADMIN);
  await page.getByRole('button', { name: /root/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByLabel('API token')).toBeVisible();
});

test('a reader sees everything, and the reason why nothing can be changed', async ({ page, signals }) => {
  signals.allow(REFUSED);
  await page.goto(`${guarded.url}/n/default/agent-roles/clerk`);
  await page.getByLabel('API token').fill(await tokenOf('rita', 'reader'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'clerk', level: 1 })).toBeVisible();
  const edit = page.getByRole('button', { name: 'Edit' });
  await expect(edit).toBeDisabled();
  await edit.hover({ force: true });
  await expect(page.getByRole('tooltip')).toContainText('you have the role reader');
  await page.getByRole('tab', { name: 'YAML' }).click();
  await expect(page.getByText('Read only', { exact: true })).toBeVisible();
  for (const path of ['new/agent-systems', 'experiment']) {
    await page.goto(new URL(`/n/default/${path}`, page.url()).href);
    await expect(page.getByRole('status').filter({ hasText: 'you have the role reader' })).toBeVisible();
  }
});

test('a revoked token ends the sign-in in place and keeps unsaved text', async ({ page, signals }) => {
  signals.allow(REFUSED);
  // Signing in again ends a handshake that began without credentials, where one is in flight.
  signals.allow(/closed before the connection is established/);
  await page.goto(`${guarded.url}/n/default/new/agent-roles`);
  await page.getByLabel('API token').fill(await tokenOf('wim', 'writer'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Minimal').click();
  const text = page.getByRole('textbox', { name: /YAML/ });
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# half a thought');
  await guarded.call('DELETE', '/v1/tokens/wim');
  const dialog = page.getByRole('dialog', { name: 'Your sign-in has ended' });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel('API token').fill(ADMIN);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(dialog).toBeHidden();
  await expect(text).toContainText('# half a thought');
  await expect(page.getByRole('button', { name: /root/ })).toBeVisible();
});
