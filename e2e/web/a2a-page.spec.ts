// Page of A2A agents: local ones with the cards that the server serves, remote ones that Tools name, and a message sent to a local one.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const documents = (specs: readonly (readonly [kind: string, name: string, spec: object])[]): string =>
  specs.map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec })).join('\n---\n');

const DESK = [
  ['ModelEndpoint', 'mock', { provider: 'mock', options: { script: 'We open at nine.' } }],
  ['Agent', 'clerk', { model_ref: 'mock', prompt: 'Answers questions of visitors. Be brief.' }],
  ['AgentSystem', 'desk', { agents: ['clerk'], graph: { clerk: {} }, a2a: { enabled: true, auth: 'public' } }],
  ['Tool', 'far-desk', { type: 'a2a', a2a: { agent_url: 'https://far.example/a2a', protocol_version: '1.0' } }],
] as const;

const agents = (page: Page, name: string) => page.getByRole('list', { name }).getByRole('listitem');

test('an empty server explains how to open a system to A2A', async ({ page, emptyWorld: world }) => {
  await page.goto(`${world.url}/n/default/agent-systems`);
  await page.getByRole('navigation', { name: 'Systems' }).getByRole('link', { name: 'A2A agents' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'A2A agents' })).toBeVisible();
  await expect(page.getByText('No system is open to A2A')).toBeVisible();
  await expect(page.getByText('No remote agents')).toBeVisible();
  await expectNoBarriers(page, { picture: 'empty' });
});

test('local and remote agents are listed with their cards', async ({ page, emptyWorld: world }) => {
  await world.apply(documents(DESK));
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.goto(`${world.url}/n/default/a2a`);
  await expect(agents(page, 'Local agents').filter({ hasText: 'desk' })).toContainText('Not signed');
  await expect(agents(page, 'Remote agents').filter({ hasText: 'far-desk' })).toContainText('https://far.example/a2a');
  const details = page.getByRole('button', { name: 'Details of desk', exact: true });
  await details.focus();
  await page.keyboard.press('Enter');
  const card = page.getByRole('tree', { name: 'Card of desk' });
  await expect(card).toContainText('protocolVersion');
  await expect(page.getByRole('region', { name: 'curl for desk' })).toContainText('message/send');
  await expectNoBarriers(page, { picture: 'local' });
  await page.getByRole('radio', { name: 'A2A 1.0 only' }).click();
  await expect(card).not.toContainText('stateTransitionHistory');
  await details.click();
  await page.getByRole('button', { name: 'Details of far-desk' }).click();
  await page.setViewportSize({ width: 1000, height: 900 });
  await expectNoBarriers(page, { picture: 'remote-1000' });
});

test('a message over A2A is answered by a run of the system', async ({ page, emptyWorld: world }) => {
  await world.apply(documents(DESK));
  await page.goto(`${world.url}/n/default/a2a`);
  await page.getByRole('button', { name: 'Try desk' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Message' }).fill('When do you open?');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog.getByRole('region', { name: 'Answer', exact: true })).toContainText('completed');
  await expect(dialog.getByRole('region', { name: 'Text of the answer' })).toHaveText('We open at nine.');
  await expectNoBarriers(page, { picture: 'answered' });
});
