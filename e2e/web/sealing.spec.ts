// Sealing in the console: values are encrypted in the page, open on the server, and never leave the page in the clear.
import type { Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { browserOnly, expect, test } from './fixtures.ts';

const VALUE = 'correct-horse-battery';

let world: World;
test.beforeAll(async ({ openWorld }) => {
  world = await openWorld({ env: { SVC_SECRET_ENCRYPTION_KEY: 'ab'.repeat(32) } });
});
test.afterAll(() => world?.dispose());

/** Everything that the page sends from now on. */
function sentBy(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
  return sent;
}

const secretOf = async (name: string) => (await world.call('GET', `/v1/secrets/${name}`)) as { spec: { data: Record<string, string> } };
const stateOf = async (name: string) =>
  ((await world.call('GET', `/v1/sealed-secrets/${name}`)) as { status: { phase: string } }).status.phase;

test('values are sealed on the create page, and become a Secret', async ({ page }) => {
  const sent = sentBy(page);
  await page.goto(`${world.url}/n/default/new/sealed-secrets`);
  await page.getByRole('button', { name: 'Seal', exact: true }).click();
  await expect(page.getByText('Enter the name of the Secret.')).toBeVisible();
  await expect(page.getByText('Enter a value.')).toBeVisible();
  await expectNoBarriers(page, { picture: 'form-refused', include: '#main', exclude: '.cm-scroller' });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('payment');
  await page.getByLabel(/^Value 1/).fill(VALUE);
  await page.getByRole('button', { name: 'Add an entry' }).click();
  await page.getByLabel(/^Key 2/).fill('value');
  await page.getByRole('button', { name: 'Show value 2' }).click();
  await page.getByLabel(/^Value 2/).fill(`-----BEGIN KEY-----\n${VALUE}\n-----END KEY-----\n`);
  await page.getByRole('button', { name: 'Seal', exact: true }).click();
  await expect(page.getByText('This key is already used.')).toBeVisible();
  await page.getByLabel(/^Key 2/).fill('tls.key');
  await expectNoBarriers(page, { picture: 'form', include: '#main', exclude: '.cm-scroller' });
  await page.getByRole('button', { name: 'Seal', exact: true }).click();
  const yaml = page.getByRole('textbox', { name: /^YAML of the new/ });
  await expect(yaml).toContainText('# Sealed for default/payment');
  await expect(yaml).toContainText('tls.key:');
  await expectNoBarriers(page, { picture: 'sealed', include: '#main', exclude: '.cm-scroller' });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'payment', level: 1 })).toBeVisible();
  await expect.poll(() => stateOf('payment')).toBe('Ready');
  expect(Object.keys((await secretOf('payment')).spec.data).sort()).toEqual(['tls.key', 'value']);
  expect(sent.filter((text) => text.includes(VALUE))).toEqual([]);
});

test('a changed key seals nothing until it is trusted', async ({ page }) => {
  await page.addInitScript(() => localStorage.getItem('svc.sealingKey') ?? localStorage.setItem('svc.sealingKey', 'sha256:before'));
  await page.goto(`${world.url}/n/default/new/sealed-secrets`);
  await expect(page.getByText('changed from sha256:before to')).toBeVisible();
  const seal = page.getByRole('button', { name: 'Seal', exact: true });
  await expect(seal).toHaveAttribute('aria-disabled', 'true');
  await expectNoBarriers(page, { include: '#main', exclude: '.cm-scroller' });
  await page.getByRole('button', { name: 'Trust the new key' }).click();
  await expect(seal).toBeEnabled();
});

test('an entry is added, replaced and removed on the page of a SealedSecret', async ({ page }) => {
  await world.call('POST', '/v1/sealed-secrets', { metadata: { name: 'mail' }, spec: {} });
  const sent = sentBy(page);
  await page.goto(`${world.url}/n/default/sealed-secrets/mail`);
  const dialog = page.getByRole('dialog');
  for (const value of [VALUE, `${VALUE}-2`]) {
    await page.getByRole('button', { name: value === VALUE ? 'Seal a value' : 'Replace the value of value' }).click();
    await dialog.getByLabel(/^Value/).fill(value);
    await dialog.getByRole('button', { name: 'Set the value' }).click();
    await expect(dialog).toHaveCount(0);
  }
  await expect.poll(() => stateOf('mail')).toBe('Ready');
  await expect(page.getByText(/^with sha256:[0-9a-f]{16}$/)).toBeVisible();
  await expectNoBarriers(page, { picture: 'entries', include: '#main', exclude: '.cm-scroller' });
  await page.getByRole('button', { name: 'Remove value' }).click();
  await page.getByRole('button', { name: 'Remove the key' }).click();
  await expect(page.getByText('No entries yet')).toBeVisible();
  expect(sent.filter((text) => text.includes(VALUE))).toEqual([]);
});

test.describe(() => {
  browserOnly('The app gives its server a key.');

  test('a server without an encryption key explains how it gets one', async ({ page, emptyWorld, signals }) => {
    signals.allow(/503/);
    await page.goto(`${emptyWorld.url}/n/default/new/sealed-secrets`);
    await expect(page.getByText('start it with --secret-encryption-key')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Seal', exact: true })).toHaveAttribute('aria-disabled', 'true');
  });
});
