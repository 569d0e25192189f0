// The first-run tour on an empty server: to a finished run with two decisions, and back to an empty server.
import { expect, test } from './fixtures.ts';

test('the tour ends in a finished run that a person decided on, and cleans up', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/welcome`);
  await page.getByRole('button', { name: /Create these 5 objects/ }).click();
  await expect(page.getByRole('heading', { name: /two places where a person decides/ })).toBeFocused();
  await page.getByRole('button', { name: 'Run it' }).click();

  const decide = page.getByRole('region', { name: 'Decide' });
  await expect(decide.getByRole('heading').first()).toContainText('refund');
  await page.reload();
  for (const size of [
    { width: 1000, height: 700 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    await expect(decide.getByRole('heading').first()).toBeInViewport({ ratio: 1 });
    await expect(decide.getByRole('button', { name: /^Approve/ })).toBeInViewport({ ratio: 1 });
    await expect(decide.getByRole('button', { name: /^Deny/ })).toBeInViewport({ ratio: 1 });
  }
  // While the risk is not known, a decision takes a second press.
  await expect(decide.getByText('low risk')).toBeVisible();
  await decide.getByRole('button', { name: /^Approve/ }).click();
  await expect(decide).toContainText('Case closed');
  await decide.getByRole('button', { name: /^Approve/ }).click();
  await decide.getByRole('button', { name: /^Confirm: approve/ }).click();
  await expect(page.getByRole('heading', { name: 'The run is finished' })).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Continue' }).click();

  await expect(page.getByText(/went out because a person agreed/)).toBeVisible();
  await expect(page.getByRole('link', { name: /Read the trace/ })).toBeVisible();
  await page.getByRole('button', { name: 'Clean up' }).click();
  await page.getByRole('button', { name: 'Delete them' }).click();
  await expect(page.getByText(/Nothing of the tour is left/)).toBeVisible();
});

test('a denied payment is not reported as paid', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/welcome?ns=denied`);
  await page.getByRole('button', { name: /Create these 5 objects/ }).click();
  await page.getByRole('button', { name: 'Run it' }).click();
  const decide = page.getByRole('region', { name: 'Decide' });
  await decide.getByRole('textbox', { name: 'Comment' }).fill('Not this one.');
  await expect(decide.getByText('low risk')).toBeVisible();
  await decide.getByRole('button', { name: /^Deny/ }).click();
  await decide.getByRole('button', { name: /^Deny now/ }).click();
  await expect(page.getByText(/No money went out: a person denied the payment/)).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('link', { name: /Read the trace/ })).toBeVisible();
  await expect(page.getByText(/No money went out: a person denied the payment/)).toBeVisible();
});

test('names taken by other objects are left alone', async ({ page, world }) => {
  await page.goto(`${world.url}/welcome?ns=default`);
  await page.getByRole('button', { name: /Create these/ }).click();
  await expect(page.getByRole('alert')).toContainText('these names are taken in default');
});
