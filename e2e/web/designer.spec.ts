// Designing a system: from an empty canvas to an applied one, by canvas, outline, inspector and YAML; and a run on it.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a machine that builds at the same time hands out slowly. */
const FIRST_LOOK_MS = 30_000;
const canvas = (page: Page, name: string) => page.getByRole('group', { name: `Canvas of ${name}` });
const outline = (page: Page, name: string) => page.getByRole('tree', { name: `Outline of ${name}` });
const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });

async function system(page: Page, name: string, query = ''): Promise<void> {
  await page.goto(`/n/operations/agent-systems/${name}${query}`);
  await expect(canvas(page, name)).toBeVisible({ timeout: FIRST_LOOK_MS });
}

async function add(page: Page, name: string): Promise<void> {
  await page.keyboard.press('a');
  await page.getByRole('combobox', { name: 'Agent' }).fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
}

test.use({ baseURL: async ({ world }, use) => use(world.url) });

test('a system is drawn with its agents, routes and what they may do', async ({ page }) => {
  await system(page, 'service-desk');
  await expect(canvas(page, 'service-desk')).toBeVisible();
  await expect(page.getByRole('group', { name: /^Agent triage, a run starts here/ })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Route from triage to billing, on success, with route=billing' })).toBeAttached();
  await agent(page, 'billing').click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('link', { name: 'invoice-delete' })).toBeVisible();
  await expect(inspector.getByText('high')).toBeVisible();
  await expect(page).toHaveURL(/item=billing/);
  await page.reload();
  await expect(canvas(page, 'service-desk')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(inspector.getByRole('heading', { name: 'billing' })).toBeVisible();
});

test('a new system grows from the keyboard alone, and is applied', async ({ page, world }) => {
  await page.goto('/n/operations/new/agent-systems');
  await expect(page.getByRole('heading', { name: 'Put the first agent on the canvas' })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.getByRole('textbox', { name: 'Name' }).fill('front-office');
  await page.getByRole('tree').click();
  await add(page, 'triage');
  await add(page, 'answers');
  await add(page, 'billing');
  const tree = outline(page, 'front-office');
  await expect(tree.getByRole('treeitem')).toHaveCount(5);
  await tree.getByRole('treeitem', { name: /^Agent triage/ }).focus();
  await page.keyboard.press('c');
  await page.getByRole('combobox', { name: 'Agent' }).fill('billing');
  await page.keyboard.press('Enter');
  await expect(tree.getByRole('treeitem', { name: /^Route to billing/ })).toHaveCount(2);
  await expect(tree.getByRole('treeitem', { name: /^Agent billing.*continues when all 2 arrive/ })).toBeVisible();
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /create|apply/i })
    .click();
  await expect(page).toHaveURL(/agent-systems\/front-office/);
  const made = (await world.call('GET', '/v1/agent-systems/front-office?namespace=operations')) as { spec: unknown };
  expect(made.spec).toEqual({
    agents: ['triage', 'answers', 'billing'],
    graph: { triage: { edges: [{ to: 'answers' }, { to: 'billing' }] }, answers: { edges: [{ to: 'billing' }] }, billing: {} },
  });
});

test('canvas and YAML are one text with one undo', async ({ page }) => {
  await system(page, 'quarterly-report', '?code=true');
  const yaml = page.getByRole('textbox', { name: 'YAML of quarterly-report' });
  await expect(yaml).toContainText('on_failure: continue_partial', { timeout: FIRST_LOOK_MS });
  await agent(page, 'editor').click();
  await page.getByRole('radio', { name: 'A number' }).click();
  await expect(page.getByRole('region', { name: 'Join' }).getByText(/continues when 1 of 2 arrive/)).toBeVisible();
  await expect(yaml).toContainText('quorum_count: 1');
  await page.keyboard.press('Control+z');
  await expect(yaml).toContainText('quorum_count: 0');
  await yaml.getByText('- risk').first().click();
  await page.keyboard.press('End');
  await page.keyboard.type('-management');
  await expect(agent(page, 'risk-management')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Problems' }).getByText('There is no agent risk-management')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(agent(page, 'risk-management')).toBeHidden();
});

test('a route is drawn by hand, an agent dropped on it, and both are undone', async ({ page }) => {
  await system(page, 'unreliable');
  await expect(agent(page, 'flaky')).toBeVisible();
  const flow = canvas(page, 'unreliable');
  await page
    .getByRole('button', { name: 'answers', exact: false })
    .first()
    .dragTo(flow, { targetPosition: { x: 120, y: 120 } });
  await expect(agent(page, 'answers')).toBeVisible();
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems.getByText('answers never runs')).toBeVisible();
  const from = await agent(page, 'flaky').locator('.react-flow__handle.source').boundingBox();
  const to = await agent(page, 'answers').locator('.react-flow__handle.target').boundingBox();
  if (!from || !to) throw new Error('the handles are not there');
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 8 });
  await page.mouse.move(to.x + 5, to.y + 5, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByRole('treeitem', { name: /^Route to answers/ })).toBeVisible();
  await expect(problems.getByText('answers never runs')).toBeHidden();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(agent(page, 'answers')).toBeHidden();
  await expect(page.getByText('No changes')).toBeVisible();
});

test('a problem is mended where it is told of', async ({ page, world }) => {
  await world.apply(
    'apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: crooked, namespace: operations }\nspec: { agents: [triage, ghost, risk], graph: { triage: { next: ghost } } }\n',
  );
  await system(page, 'crooked');
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems.getByText('There is no agent ghost')).toBeVisible();
  await problems.getByRole('button', { name: 'Remove ghost' }).click();
  await expect(problems.getByText('There is no agent ghost')).toBeHidden();
  await problems.getByRole('button', { name: 'Connect triage to it' }).first().click();
  await expect(problems.getByText('No problems')).toBeVisible();
  await page.getByRole('list', { name: 'Work' }).getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without applying?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(problems).toBeVisible();
});

test('a run is started from the canvas and shown on it', async ({ page }) => {
  await page.goto('/n/default/agent-systems/cycle');
  await page.getByRole('button', { name: 'Run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run cycle' });
  await expect(dialog.getByRole('textbox', { name: 'Value of change' })).toHaveValue('Writes are durable now.');
  await dialog.getByRole('spinbutton', { name: /Turns at most/ }).fill('0');
  await expect(dialog.getByText('A loop needs a bound above 0')).toBeVisible();
  await dialog.getByRole('spinbutton', { name: /Turns at most/ }).fill('6');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Run on the canvas' });
  await expect(bar.getByText('Succeeded')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('group', { name: /^Agent publisher, succeeded/ })).toBeVisible();
  await expect(page.getByRole('group', { name: /^Route from reviewer to drafter.*taken 1 times/ })).toBeAttached();
  await expect(bar.getByRole('link', { name: 'Open the run' })).toBeVisible();
  await bar.getByRole('button', { name: 'Stop following the run' }).click();
  await expect(bar).toBeHidden();
});
