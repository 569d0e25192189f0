// Checkpoints beside a conversation: list, rewind, fork with overrides, record, comparison.
import type { Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

test.describe.configure({ timeout: 120_000 });

const documents = (specs: readonly (readonly [kind: string, name: string, spec: object])[]): string =>
  specs.map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec })).join('\n---\n');

const script = (text: string) => ({ provider: 'mock', options: { script: JSON.stringify([{ text, repeat: true }]) } });

async function prepare(world: World, page: Page, name: string): Promise<void> {
  await world.apply(
    documents([
      ['ModelEndpoint', 'guide', script('Lisbon in two days: Alfama, then Belém.')],
      ['ModelEndpoint', 'cheap', script('Take the tram and bring sandwiches.')],
      ['Agent', 'planner', { model_ref: 'guide', prompt: 'Plan trips.' }],
      ['AgentSystem', 'travel', { agents: ['planner'] }],
      ['Session', name, { system: 'travel' }],
    ]),
  );
  await page.goto(`${world.url}/n/default/sessions/${name}`);
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const turn = (page: Page, sequence: number) => page.getByRole('article', { name: `Turn ${sequence}`, exact: true });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Checkpoints' });
const rows = (page: Page) => panel(page).locator('[data-checkpoint]');

async function say(page: Page, text: string, sequence: number): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await expect(page.getByRole('link', { name: `Run of turn ${sequence}` })).toBeVisible();
}

/** Waits for the last checkpoint of this turn: each one that arrives moves the rows below it. */
async function expectNewest(page: Page, sequence: number): Promise<void> {
  await expect(panel(page).getByRole('heading').first()).toBeVisible();
  await expect(panel(page).getByRole('heading', { name: new RegExp(`^Turn ${sequence}`) })).toBeVisible();
  await expect(rows(page).first()).toContainText('After the turn');
}

async function choose(page: Page, row: number, action: string): Promise<void> {
  await panel(page)
    .getByRole('button', { name: /^Actions of checkpoint/ })
    .nth(row)
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('checkpoints are listed by turn as they are made, and lead to their turn', async ({ page, emptyWorld: world }) => {
  await prepare(world, page, 'listed');
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await expect(panel(page)).toContainText('No checkpoints yet');
  await expectNoBarriers(page, { picture: 'empty' });
  await say(page, 'Two days in Lisbon, please.', 1);
  await say(page, 'And for less money?', 2);
  await expectNewest(page, 2);
  await expect(rows(page).first()).toContainText('planner');
  await rows(page).first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(rows(page).nth(1)).toBeFocused();
  await rows(page).last().click();
  await expect(turn(page, 1)).toBeInViewport();
  await expectNoBarriers(page, { picture: 'list' });
});

test('a rewind names what it undoes and pauses the Session there', async ({ page, emptyWorld: world }) => {
  await prepare(world, page, 'rewound');
  await say(page, 'Two days in Lisbon, please.', 1);
  await say(page, 'And for less money?', 2);
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await expectNewest(page, 2);
  const first = await rows(page).evaluateAll((all) =>
    all.findIndex((row) => row.textContent.includes('After the turn') && row.closest('ol > li')?.textContent.startsWith('Turn 1')),
  );
  await choose(page, first, 'Rewind to here…');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('1 turn is undone.');
  await expectNoBarriers(page, { picture: 'rewind' });
  await dialog.getByRole('button', { name: 'Rewind' }).click();
  await expect(page.getByText('1 turn undone by a rewind.')).toBeVisible();
  await expect(page.locator('header').getByText('Paused')).toBeVisible();
});

test('a fork with another model and prompt is compared with its origin', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/400/);
  await prepare(world, page, 'trip');
  await say(page, 'Two days in Lisbon, please.', 1);
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await expectNewest(page, 1);
  await choose(page, 0, 'Fork from here…');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Not A Name');
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('trip-b');
  await dialog.getByText('Other models or prompts').click();
  await dialog.getByRole('combobox', { name: 'Model' }).fill('cheap');
  await page.keyboard.press('Tab');
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Plan cheap trips.');
  await dialog.getByRole('checkbox').check();
  await expectNoBarriers(page, { picture: 'fork' });
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await expect(page).toHaveURL(/sessions\/trip-b/);
  await expect(page.getByText('Forked from').first()).toBeVisible();
  await say(page, 'And for less money?', 2);
  await expect(page.getByRole('article').last()).toContainText('Take the tram');
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await panel(page).getByRole('button', { name: 'Compare with origin' }).click();
  const compared = page.getByRole('dialog', { name: 'Compare checkpoints' });
  await expect(compared.getByRole('region', { name: 'Conversation' })).toContainText('2 messages are the same.');
  await expect(compared.getByRole('list', { name: /^Messages of the/ })).toContainText('Take the tram');
  await expect(compared.getByRole('region', { name: 'Agents' })).toContainText('Plan cheap trips.');
  await expectNoBarriers(page, { picture: 'compare' });
  await page.setViewportSize({ width: 600, height: 900 });
  await page.screenshot({ path: test.info().outputPath('compare-narrow.png') });
});

test('two checkpoints of a Session are compared, and the record of one is verified', async ({ page, emptyWorld: world }) => {
  await prepare(world, page, 'compared');
  await say(page, 'Two days in Lisbon, please.', 1);
  await say(page, 'And for less money?', 2);
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await expectNewest(page, 2);
  await choose(page, 0, 'Compare with…');
  await expect(panel(page)).toContainText('Choose the checkpoint to compare with.');
  await rows(page).last().click();
  const compared = page.getByRole('dialog', { name: 'Compare checkpoints' });
  await expect(compared.getByRole('list', { name: 'Messages of the left side' })).toContainText('And for less money?');
  await page.keyboard.press('Escape');
  await choose(page, 0, 'Verify the record');
  const record = page.getByRole('dialog', { name: 'Record of the checkpoint' });
  await expect(record.getByRole('status')).toContainText('The recorded state is unchanged');
  await expect(record.getByRole('region', { name: 'Events' })).toContainText('turn.completed');
  await expectNoBarriers(page, { picture: 'replay' });
});
