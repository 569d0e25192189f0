// Versions of an object's spec: the list, differences of any two, the restore with its review. Effective permissions of an agent.
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

/** Pages are chunks of their own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;

const at = (world: World, path: string) => `${world.url}/n/operations/${path}`;

async function writeAgent(world: World, name: string, spec: Record<string, unknown>): Promise<void> {
  const body = { metadata: { name, namespace: 'operations' }, spec: { model_ref: 'desk-model', ...spec } };
  await world.call('POST', '/v1/agents?namespace=operations', body);
}

async function readAgent(world: World, name: string): Promise<{ metadata: { generation: number }; spec: { prompt: string } }> {
  return (await world.call('GET', `/v1/agents/${name}?namespace=operations`)) as never;
}

test('a version is found, compared word by word, and restored after a review', async ({ page, world }) => {
  await writeAgent(world, 'historian', { prompt: 'Answer in one short sentence.' });
  await writeAgent(world, 'historian', { prompt: 'Answer in three long sentences.', limits: { max_steps: 4 } });
  await writeAgent(world, 'historian', { prompt: 'Answer in verse.', limits: { max_steps: 4 } });
  await page.goto(at(world, 'agents/historian'));
  await page.getByRole('tab', { name: 'Versions' }).click({ timeout: FIRST_LOOK_MS });
  const list = page.getByRole('list', { name: 'Versions' });
  await expect(list.getByRole('button')).toHaveCount(3);
  await expect(list.getByRole('button').first()).toContainText('Version 3');
  await expect(list.getByRole('button').first()).toContainText('current');
  await expect(page.getByRole('list', { name: 'Changes from version 2 to version 3' })).toContainText('spec.prompt');
  await expectNoBarriers(page, { include: '#main' });

  await list.getByRole('button', { name: /Version 1/ }).click();
  await expect(page).toHaveURL(/version=1/);
  const changes = page.getByRole('list', { name: 'Changes from version 1 to version 2' });
  await expect(changes.locator('del').first()).toContainText('one');
  await expect(changes.locator('ins').first()).toContainText('three');
  await page.getByRole('combobox', { name: 'compared with' }).selectOption({ label: 'version 3 (current)' });
  await expect(page.getByRole('list', { name: 'Changes from version 1 to version 3' })).toContainText('spec.limits.max_steps');
  await page.getByRole('radio', { name: 'YAML' }).click();
  await expect(page.getByRole('region', { name: 'Changes from version 1 to version 3' })).toContainText('Answer in verse.');

  await page.getByRole('button', { name: 'Restore version 1…' }).click();
  const review = page.getByRole('dialog', { name: 'Restore Agent operations/historian' });
  await expect(review).toContainText('Answer in one short sentence.');
  expect((await readAgent(world, 'historian')).metadata.generation).toBe(3);
  await review.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(list.getByRole('button').first()).toContainText('Version 4');
  expect(await readAgent(world, 'historian')).toMatchObject({
    metadata: { generation: 4 },
    spec: { prompt: 'Answer in one short sentence.' },
  });
});

test('an address opens a version far down the list, and reports one that is not kept', async ({ page, world }) => {
  for (let n = 1; n <= 55; n += 1) await writeAgent(world, 'long-lived', { prompt: `Answer in ${n} words.` });
  await page.goto(at(world, 'agents/long-lived?tab=versions&version=2'));
  await expect(page.getByRole('region', { name: 'Version 2', exact: true })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(page.getByRole('list', { name: 'Changes from version 1 to version 2' })).toContainText('spec.prompt');
  await page.goto(at(world, 'agents/long-lived?tab=versions&version=99'));
  const newest = page.getByRole('region', { name: 'Version 55' });
  await expect(newest).toContainText('Version 99 is not kept here. This is version 55, the newest one.', { timeout: FIRST_LOOK_MS });
});

test('a change by somebody else during the review is never overwritten', async ({ page, world }) => {
  await writeAgent(world, 'contested', { prompt: 'first' });
  await writeAgent(world, 'contested', { prompt: 'second' });
  await page.goto(at(world, 'agents/contested?tab=versions&version=1'));
  await page.getByRole('button', { name: 'Restore version 1…' }).click({ timeout: FIRST_LOOK_MS });
  const review = page.getByRole('dialog', { name: 'Restore Agent operations/contested' });
  await expect(review).toBeVisible();
  await writeAgent(world, 'contested', { prompt: 'third, by somebody else' });
  await review.getByRole('button', { name: 'Review again' }).click();
  await expect(review).toBeHidden();
  expect((await readAgent(world, 'contested')).spec.prompt).toBe('third, by somebody else');
  await page.getByRole('button', { name: 'Restore version 1…' }).click();
  await expect(review).toContainText('third, by somebody else');
  await review.getByRole('button', { name: 'Cancel' }).click();
  expect((await readAgent(world, 'contested')).metadata.generation).toBe(3);
});

test('a system has versions, a Secret has none', async ({ page, world }) => {
  await page.goto(at(world, 'agent-systems/service-desk?tab=versions'));
  await expect(page.getByRole('list', { name: 'Versions' }).getByRole('button')).not.toHaveCount(0, { timeout: FIRST_LOOK_MS });
  await world.call('POST', '/v1/secrets?namespace=operations', { metadata: { name: 'kept' }, spec: { stringData: { token: 'x' } } });
  await page.goto(at(world, 'secrets/kept'));
  await expect(page.getByRole('tab', { name: 'Relations' })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(page.getByRole('tab', { name: 'Versions' })).toHaveCount(0);
});

test('the page of an agent shows verdicts on its tools with the deciding rule, and follows the rules', async ({ page, world }) => {
  await page.goto(at(world, 'agents/billing'));
  const permissions = page.getByRole('list', { name: 'Effective permissions' });
  const tool = (name: string) => permissions.getByRole('listitem').filter({ hasText: name });
  await expect(tool('invoice-delete')).toContainText('Needs approval', { timeout: FIRST_LOOK_MS });
  await expect(
    tool('invoice-delete')
      .getByRole('button', { name: /ToolPermission invoice-delete/ })
      .or(tool('invoice-delete').getByRole('link', { name: /ToolPermission invoice-delete/ })),
  ).toBeVisible();
  await expect(tool('ledger-search')).toContainText('Allowed');
  await expectNoBarriers(page, { include: '#main' });
  const policy = { metadata: { name: 'no-ledger' }, spec: { apply_mode: 'global', blocked_tools: ['ledger-search'] } };
  await world.call('POST', '/v1/agent-policies?namespace=operations', policy);
  await expect(tool('ledger-search')).toContainText('Denied');
  await expect(tool('ledger-search')).toContainText('AgentPolicy no-ledger');
  await world.call('DELETE', '/v1/agent-policies/no-ledger?namespace=operations');
  await expect(tool('ledger-search')).toContainText('Allowed');
});

test('the page of an agent shows verdicts on the operations of its memory', async ({ page, world }) => {
  const create = (kind: string, name: string, spec: object) =>
    world.call('POST', `/v1/${kind}?namespace=operations`, { metadata: { name }, spec });
  await create('memories', 'ledger-notes', { provider: 'in-memory' });
  await create('agents', 'note-keeper', { model_ref: 'house-model', memory: { ref: 'ledger-notes', allow: ['read', 'write'] } });
  await create('tool-permissions', 'memory.write', { operation_rules: [{ operation_class: 'write', verdict: 'deny' }] });
  await page.goto(at(world, 'agents/note-keeper'));
  const permissions = page.getByRole('list', { name: 'Effective permissions' });
  const tool = (name: string) => permissions.getByRole('listitem').filter({ hasText: name });
  await expect(tool('memory.read')).toContainText('Allowed', { timeout: FIRST_LOOK_MS });
  await expect(tool('memory.write')).toContainText('Denied');
  await expect(tool('memory.read').getByRole('link', { name: 'memory.read' })).toHaveCount(0);
  await expectNoBarriers(page, { include: '#main' });
});
