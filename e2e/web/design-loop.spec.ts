// The design loop: read why a run failed, change a prompt and see what it did, compare drafts over cases.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { countEffort } from './effort.ts';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
/** Goals of the walks. */
const KEYS_TO_THE_CAUSE = 6;
const CLICKS_TO_COMPARE = 5;

const SCRIPT = JSON.stringify([{ text: '{{transcript}}', repeat: true }]);
const manifest = (kind: string, name: string, spec: object) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
const clerk = (prompt: string) => manifest('Agent', 'clerk', { model_ref: 'echo', prompt });
const OFFICE = [
  manifest('ModelEndpoint', 'echo', { provider: 'mock', options: { script: SCRIPT } }),
  manifest('ModelEndpoint', 'small', { provider: 'mock', options: { script: SCRIPT } }),
  clerk('Be formal.'),
  manifest('AgentSystem', 'office', { agents: ['clerk'] }),
].join('\n---\n');

const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const prompt = (page: Page) => inspector(page).getByRole('textbox', { name: 'Prompt' });

test('a failing call is read within six keys', async ({ page, world }) => {
  await world.run('operations/unreliable', 'broken', { request: 'Try.' });
  await world.untilPhase('operations/broken', ['DeadLetter', 'Failed']);
  const effort = await countEffort(page);
  await page.goto(`${world.url}/n/operations/dashboard`);
  await expect(page.getByRole('region', { name: 'Failed in 24 hours' })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(page.getByRole('row').filter({ hasText: 'broken' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'cause-1-list' });
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'broken' })).toBeVisible();
  const detail = page.getByRole('complementary').filter({ hasText: 'overloaded' });
  await expect(detail).toBeVisible();
  await expect(detail).toBeInViewport();
  expect((await effort()).keys).toBeLessThanOrEqual(KEYS_TO_THE_CAUSE);
  expect((await effort()).clicks).toBe(0);
  await expectNoBarriers(page, { picture: 'cause-2-run' });
});

test('a prompt is changed and its effect is read within five clicks', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  await world.run('default/office', 'first', { message: 'Hello' });
  await world.untilPhase('default/first', ['Succeeded']);
  const effort = await countEffort(page);
  await page.goto(`${world.url}/n/default/agent-systems`);
  await page.getByRole('link', { name: 'office' }).first().click();
  await agent(page, 'clerk').click({ timeout: FIRST_LOOK_MS });
  await prompt(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Be brief.');
  await expectNoBarriers(page, { picture: 'change-1-prompt' });
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Run again and compare' }).click();
  await expect(page).toHaveURL(/compare\?left=default%2Ffirst&right=default%2Foffice-/);
  const changed = page.getByRole('region', { name: 'What changed' });
  await expect(changed.getByRole('heading', { name: 'Prompt of clerk' })).toBeVisible();
  await expect(changed.locator('ins').filter({ hasText: 'brief' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Output' }).locator('ins').filter({ hasText: 'brief' }).first()).toBeVisible();
  expect((await effort()).clicks).toBeLessThanOrEqual(CLICKS_TO_COMPARE);
  await expectNoBarriers(page, { picture: 'change-2-compared' });
  // The change is stored, and no dialog asks about it on the way back.
  expect(await world.call('GET', '/v1/agents/clerk')).toMatchObject({ spec: { prompt: 'Be brief.' } });
});

test('the followed run is repeated and compared by one key', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  await world.run('default/office', 'followed', { message: 'Hello' });
  await world.untilPhase('default/followed', ['Succeeded']);
  await page.goto(`${world.url}/n/default/agent-systems/office?run=followed`);
  await expect(page.getByRole('region', { name: 'Run on the canvas' }).getByRole('button', { name: 'Run again and compare' })).toBeVisible({
    timeout: FIRST_LOOK_MS,
  });
  await page.keyboard.press('Shift+C');
  await expect(page).toHaveURL(/compare\?left=default%2Ffollowed&right=default%2Foffice-/);
  await expect(page.getByText('Same path.')).toBeVisible();
});

test('the page of an agent repeats the newest run in which it had a turn', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/agents/flaky?tab=runs`);
  const again = page.getByRole('button', { name: 'Run again and compare', exact: true });
  await expect(again).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(page.getByText(/^Repeats (doomed|broken)/)).toBeVisible();
  await expectNoBarriers(page, { picture: 'agent-runs' });
  await again.click();
  await expect(page).toHaveURL(/compare\?left=operations%2F(doomed|broken)&right=operations%2F\1-retry/);
});

test('edited prompts run over the saved cases without being stored', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  for (const [name, message] of [
    ['greeting', 'Hello'],
    ['refund', 'Where is my money?'],
  ] as const)
    await world.apply(
      JSON.stringify({
        ...{ apiVersion: 'svc.dev/v1', kind: 'Task' },
        metadata: { name, labels: { 'svc.dev/case': 'true' } },
        spec: { system: 'office', mode: 'template', input: { message } },
      }),
    );
  const stored = await world.call('GET', '/v1/agents/clerk');
  await page.goto(`${world.url}/n/default/agent-systems/office?item=clerk`);
  await prompt(page).fill('Be kind.', { timeout: FIRST_LOOK_MS });
  await inspector(page).getByRole('combobox', { name: 'Model' }).selectOption('small');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Compare over cases…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare office over cases' });
  await expect(dialog.getByText('Drafts: prompt of clerk, model of clerk')).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Cases' }).getByRole('listitem')).toHaveCount(2);
  await dialog.getByLabel('Name').first().fill('kinder');
  // Asked before anything starts: what it takes, and a budget where it is long.
  await dialog.getByLabel('Repeats').fill('10');
  await dialog.getByRole('button', { name: 'Start 40 runs' }).click();
  await expect(page.getByRole('dialog', { name: 'Start 40 runs?' })).toContainText('Its tools are called for real');
  await page.getByRole('button', { name: 'Not yet' }).click();
  await dialog.getByLabel('Repeats').fill('1');
  await expect(dialog.getByRole('button', { name: 'Start 4 runs' })).toBeVisible();
  await expect(dialog.getByText(/^4 runs/)).toBeVisible();
  await expectNoBarriers(page, { picture: 'cases' });
  await dialog.getByRole('button', { name: 'Start 4 runs' }).click();
  await expect(page).toHaveURL(/\/experiments\/kinder$/);
  await expect(page.getByText('4 of 4 runs have ended')).toBeVisible();
  await expect(page.getByRole('cell', { name: 'refund, draft' })).toContainText('Be kind.');
  await expect(page.getByRole('cell', { name: 'refund, today' })).not.toContainText('Be kind.');
  expect(await world.call('GET', '/v1/agents/clerk')).toEqual(stored);
  // The draft waits where it was written.
  await page.goBack();
  await page.getByRole('button', { name: 'Restore' }).click({ timeout: FIRST_LOOK_MS });
  await agent(page, 'clerk').click();
  await expect(prompt(page)).toHaveValue('Be kind.');
});

test('drafts that a trial cannot run are applied first, and the versions before are the other variant', async ({
  page,
  emptyWorld: world,
}) => {
  await world.apply(OFFICE.replaceAll('office', 'bureau').replaceAll('clerk', 'scribe'));
  await world.apply(clerk('Before.').replace('clerk', 'scribe'));
  await world.run('default/bureau', 'before', { message: 'Hello' });
  await world.untilPhase('default/before', ['Succeeded']);
  await page.goto(`${world.url}/n/default/agent-systems/bureau?item=scribe`);
  await prompt(page).fill('After.', { timeout: FIRST_LOOK_MS });
  await inspector(page).getByRole('textbox', { name: 'Model steps at most' }).fill('3');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Compare over cases…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare bureau over cases' });
  await expect(dialog.getByText('Agent scribe must be applied to run')).toBeVisible();
  await dialog.getByRole('button', { name: 'Apply and compare' }).click();
  await expect(dialog.getByText(/^version \d+ of scribe$/)).toBeVisible();
  await expect(dialog.getByLabel('Input').first()).toHaveValue(/Hello/);
  await dialog.getByLabel('Name').first().fill('both');
  await dialog.getByRole('button', { name: 'Start 2 runs' }).click();
  await expect(page.getByText('2 of 2 runs have ended')).toBeVisible();
  await expect(page.getByRole('cell', { name: 'last-input, before' })).toContainText('Before.');
  await expect(page.getByRole('cell', { name: 'last-input, today' })).toContainText('After.');
});
