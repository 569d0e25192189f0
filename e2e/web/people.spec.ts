// People with names and passwords: setup to signed-in, users made by an admin, and a second browser that is signed out elsewhere.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { createWorld, type World } from '../world/world.ts';
import { expect, test } from './fixtures.ts';

const PASSWORD = 'correct horse battery';
const SHOTS = process.env['PEOPLE_SHOTS'];
/** The browser itself writes refused requests to the console. */
const REFUSED = /status of (401|403)|no valid credentials/;

let world: World;
test.beforeAll(async () => {
  world = await createWorld({ env: { SVC_AUTH_MODE: 'native', SVC_SETUP_TOKEN: 'the-token-of-the-setup' } });
});
test.afterAll(() => world.dispose());

/** Checks the screen with axe, in both themes. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${name} ${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}.png` });
  }
}

test('the first visitor sets the server up, makes a user and ends the sign-in of the other browser', async ({ page, signals, browser }) => {
  signals.allow(REFUSED);
  await page.goto(`${world.url}/n/default/users`);
  await expect(page.getByRole('heading', { name: 'Set up this server' })).toBeVisible();
  await expect(page.getByLabel('Setup token')).toBeFocused();
  await inspect(page, 'setup');
  await page.keyboard.type('wrong');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ann');
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password again').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByText('The setup token is not correct')).toBeVisible();
  await page.getByLabel('Setup token').fill('the-token-of-the-setup');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'New user' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('bob');
  await inspect(page, 'new-user');
  await page.getByRole('button', { name: 'Create the user' }).click();
  const generated = await page.getByRole('textbox', { name: 'The password' }).inputValue();
  await inspect(page, 'password-shown');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByLabel('Role of bob')).toHaveValue('writer');
  await inspect(page, 'users');

  const other = await (await browser.newContext()).newPage();
  await other.goto(`${world.url}/n/default/account`);
  await expect(other.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await inspect(other, 'sign-in');
  await other.getByRole('textbox', { name: 'Name' }).fill('BOB');
  await other.getByLabel('Password', { exact: true }).fill('wrong');
  await other.keyboard.press('Enter');
  await expect(other.getByText('The name or the password is not correct.')).toBeVisible();
  await other.getByLabel('Password', { exact: true }).fill(generated);
  await other.keyboard.press('Enter');
  await expect(other.getByText('bob, role writer.')).toBeVisible();
  await expect(other.getByText('This browser')).toBeVisible();
  await inspect(other, 'account');

  await page.getByRole('button', { name: 'Sign-ins of bob' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^End / }).click();
  await expect(page.getByText('No browser is signed in.')).toBeVisible();
  const dialog = other.getByRole('dialog', { name: 'Your sign-in has ended' });
  await expect(dialog).toBeVisible();
  await inspect(other, 'signed-out-elsewhere');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('bob');
  await dialog.getByLabel('Password', { exact: true }).fill(generated);
  await other.keyboard.press('Enter');
  await expect(dialog).toBeHidden();

  await other.getByLabel('Current password').fill(generated);
  await other.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await other.getByLabel('New password again').fill(PASSWORD);
  await other.keyboard.press('Enter');
  await expect(other.getByText('Your password was changed; your other sign-ins have ended')).toBeVisible();
  await expect(other.getByText('This browser')).toBeVisible();
  await other.context().close();
});
