// People with names and passwords: setup to signed-in, users made by an admin, and a second browser that is signed out elsewhere.
import { createWorld, type World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { browserOnly, expect, test } from './fixtures.ts';

browserOnly('The server of the app has one person, who is signed in.');

const PASSWORD = 'correct horse battery';
/** The browser itself writes refused requests to the console. */
const REFUSED = /status of (401|403)|no valid credentials/;

let world: World;
test.beforeAll(async () => {
  world = await createWorld({ env: { SVC_AUTH_MODE: 'native', SVC_SETUP_TOKEN: 'the-token-of-the-setup' } });
});
test.afterAll(() => world?.dispose());

test('the first visitor sets the server up, makes a user and ends the sign-in of the other browser', async ({ page, signals, browser }) => {
  signals.allow(REFUSED);
  await page.goto(`${world.url}/n/default/users`);
  await expect(page.getByRole('heading', { name: 'Set up this server' })).toBeVisible();
  await expect(page.getByLabel('Setup token')).toBeFocused();
  await expectNoBarriers(page, { picture: 'setup', strict: true });
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
  await expectNoBarriers(page, { picture: 'new-user', strict: true });
  await page.getByRole('button', { name: 'Create the user' }).click();
  const generated = await page.getByRole('textbox', { name: 'The password' }).inputValue();
  await expectNoBarriers(page, { picture: 'password-shown', strict: true });
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByLabel('Role of bob')).toHaveValue('writer');
  await expectNoBarriers(page, { picture: 'users', strict: true });

  const other = await (await browser.newContext()).newPage();
  await other.goto(`${world.url}/n/default/account`);
  await expect(other.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await expectNoBarriers(other, { picture: 'sign-in', strict: true });
  await other.getByRole('textbox', { name: 'Name' }).fill('BOB');
  await other.getByLabel('Password', { exact: true }).fill('wrong');
  await other.keyboard.press('Enter');
  await expect(other.getByText('The name or the password is not correct.')).toBeVisible();
  await other.getByLabel('Password', { exact: true }).fill(generated);
  await other.keyboard.press('Enter');
  await expect(other.getByText('bob, role writer.')).toBeVisible();
  await expect(other.getByText('This browser')).toBeVisible();
  await expectNoBarriers(other, { picture: 'account', strict: true });

  await page.getByRole('button', { name: 'Sign-ins of bob' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^End / }).click();
  await expect(page.getByText('No browser is signed in.')).toBeVisible();
  const dialog = other.getByRole('dialog', { name: 'Your sign-in has ended' });
  await expect(dialog).toBeVisible();
  await expectNoBarriers(other, { picture: 'signed-out-elsewhere', strict: true });
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
