// Page of a webhook: its address, examples, a test delivery signed by the server, and the deliveries with their outcomes.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const documents = (specs: readonly (readonly [kind: string, name: string, spec: object])[]): string =>
  specs.map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec })).join('\n---\n');

async function sendTest(page: Page, eventId: string): Promise<void> {
  await page.getByRole('button', { name: 'Send a test delivery' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Secret')).toHaveCount(0);
  await dialog.getByLabel('Event id').fill(eventId);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
}

test('a webhook shows its address, takes test deliveries and delivers one again', async ({ page, emptyWorld: world }) => {
  await world.apply(
    documents([
      ['Task', 'review-push', { system: 'review', mode: 'template' }],
      ['Secret', 'github', { stringData: { value: 'topsecret' } }],
      ['TaskWebhook', 'pushes', { task_ref: 'review-push', auth: { profile: 'github', secret_ref: 'github' } }],
    ]),
  );
  await page.goto(`${world.url}/n/default/task-webhooks/pushes`);
  await expect(page.getByText('No deliveries yet')).toBeVisible();
  const address = page.getByText(new RegExp(`^${world.url}/v1/webhook-deliveries/[0-9a-f]{32}$`));
  await expect(address).toBeVisible();
  await page.getByRole('radio', { name: 'Python' }).click();
  await expect(page.getByRole('region', { name: 'Example in Python' })).toContainText('X-Hub-Signature-256');

  const rows = page.getByRole('list', { name: /^Deliveries/ }).getByRole('listitem');
  await sendTest(page, 'evt-1');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText('Accepted');
  await expect(rows.first()).toContainText('evt-1');
  await sendTest(page, 'evt-1');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Duplicate');

  await page.getByRole('button', { name: 'Send a test delivery' }).click();
  await expectNoBarriers(page, { picture: 'test' });
  await page.getByRole('button', { name: 'Cancel' }).click();
  const forged = await fetch(await address.innerText(), { method: 'POST', headers: { 'x-hub-signature-256': 'sha256=00' }, body: '{}' });
  expect(forged.status).toBe(401);
  await expect(rows.first()).toContainText('does not match');

  await page.getByRole('button', { name: 'Deliver 1 again' }).click();
  await expect(rows).toHaveCount(4);
  await expect(rows.first().getByRole('link')).toHaveText(/^pushes-[0-9a-f]{16}-2$/);
  await rows.first().scrollIntoViewIfNeeded();
  await expectNoBarriers(page, { picture: 'page' });
});
