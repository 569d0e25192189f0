// Designing a system: from an empty canvas to an applied one, by canvas, outline, inspector and YAML; and a run on it.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { browserOnly, expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
const canvas = (page: Page, name: string) => page.getByRole('group', { name: `Canvas of ${name}` });
const outline = (page: Page, name: string) => page.getByRole('tree', { name: `Outline of ${name}` });
const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });

async function system(page: Page, name: string, query = ''): Promise<void> {
  await page.goto(`/n/operations/agent-systems/${name}?outline=true${query.replace('?', '&')}`);
  await expect(canvas(page, name)).toBeVisible({ timeout: FIRST_LOOK_MS });
}

async function add(page: Page, name: string): Promise<void> {
  await page.keyboard.press('a');
  await page.getByRole('combobox', { name: 'Agent' }).fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
}

test.use({ baseURL: async ({ world }, use) => use(world.url) });

test('a system is drawn with its agents, routes and permissions', async ({ page }) => {
  await system(page, 'service-desk');
  await expect(page.getByRole('group', { name: /^Agent triage, a run starts here/ })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Connection from triage to billing, on success, with route=billing' })).toBeAttached();
  await agent(page, 'billing').click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('link', { name: 'invoice-delete' })).toBeVisible();
  await expect(inspector.getByText('high')).toBeVisible();
  await expect(page).toHaveURL(/item=billing/);
  await page.reload();
  await expect(canvas(page, 'service-desk')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(inspector.getByRole('heading', { name: 'billing' })).toBeVisible();
});

test('a new system is built by keyboard alone, and applied', async ({ page, world }) => {
  await page.goto('/n/operations/new/agent-systems?outline=true');
  await expect(page.getByRole('heading', { name: 'Add the first agent' })).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.getByRole('textbox', { name: 'Name' }).fill('front-office');
  await expect(page.getByRole('heading', { level: 1, name: 'front-office' })).toBeVisible();
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
  await expect(tree.getByRole('treeitem', { name: /^Connection to billing/ })).toHaveCount(2);
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

test('a new system starts from the requested copy, template or name', async ({ page, signals }) => {
  signals.allow(/404/);
  await page.goto('/n/operations/agent-systems');
  await page.getByRole('row', { name: /service-desk/ }).focus();
  await page.keyboard.press('m');
  await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('service-desk-copy', { timeout: FIRST_LOOK_MS });
  await expect(agent(page, 'billing')).toBeVisible();
  await page.goto('/n/operations/agent-systems/service-desk');
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('service-desk-copy', { timeout: FIRST_LOOK_MS });
  await page.getByRole('button', { name: 'Namespace: operations' }).click();
  await page.getByRole('option', { name: 'default', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Namespace: default' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('service-desk-copy', { timeout: FIRST_LOOK_MS });
  await expect(agent(page, 'operations/billing')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Problems' }).getByText('No problems')).toBeVisible();
  await page.goto('/n/operations/new/agent-systems?template=cycle.cycle');
  await expect(agent(page, 'reviewer')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.goto('/n/operations/new/agent-systems?template=nonsense');
  await expect(page.getByText('There is no template nonsense. This begins empty.')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.goto('/n/operations/agent-systems/night-shift');
  await page.getByRole('link', { name: 'Design one' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('night-shift', { timeout: FIRST_LOOK_MS });
});

test('a system deleted elsewhere can be created again', async ({ page, world, signals }) => {
  signals.allow(/404/);
  await world.apply(
    'apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: fleeting, namespace: operations }\nspec: { agents: [triage, risk] }\n',
  );
  await system(page, 'fleeting');
  await world.call('DELETE', '/v1/agent-systems/fleeting?namespace=operations');
  await page.getByRole('button', { name: 'Recreate' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('fleeting', { timeout: FIRST_LOOK_MS });
  await expect(agent(page, 'risk')).toBeVisible();
  await page.getByRole('button', { name: 'Review and create' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/agent-systems\/fleeting/);
  const made = (await world.call('GET', '/v1/agent-systems/fleeting?namespace=operations')) as { spec: { agents: string[] } };
  expect(made.spec.agents).toEqual(['triage', 'risk']);
  await page.goto('/n/operations/new/agent-systems?lost=operations%2Fforgotten');
  await expect(page.getByText(/The last state of operations\/forgotten was stored in one tab only and is lost/)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('forgotten', { timeout: FIRST_LOOK_MS });
});

test('canvas and YAML are one text with one undo', async ({ page }) => {
  await system(page, 'quarterly-report', '?code=true');
  const yaml = page.getByRole('textbox', { name: 'YAML of quarterly-report' });
  await expect(yaml).toContainText('on_failure: continue_partial', { timeout: FIRST_LOOK_MS });
  await outline(page, 'quarterly-report')
    .getByRole('treeitem', { name: /^Agent editor/ })
    .click();
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

test('unreadable YAML keeps the canvas and reports the wrong line', async ({ page }) => {
  await system(page, 'service-desk', '?code=true');
  const yaml = page.getByRole('textbox', { name: 'YAML of service-desk' });
  await yaml.getByText('agents:').first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(' [');
  const banner = page.getByText(/The YAML is not valid, so the canvas shows the last valid version\. Line \d+: /);
  await expect(banner).toBeVisible();
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText(/The YAML is not valid\. Line \d+/);
  await expect(agent(page, 'billing')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(banner).toBeHidden();
});

test('a review made stale by another change is reported, and repeated', async ({ page, world }) => {
  const version = (words: string) =>
    `apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: contested, namespace: operations, annotations: { svc.dev/description: ${words} } }\nspec: { agents: [risk] }\n`;
  await world.apply(version('first'));
  await system(page, 'contested');
  await add(page, 'triage');
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const review = page.getByRole('dialog', { name: /^Apply AgentSystem/ });
  await expect(review.getByRole('region', { name: 'Stored now and after this' })).toContainText('Stored now');
  await world.apply(version('theirs'));
  await expect(review.getByText(/The stored version differs from the one below/)).toBeVisible();
  await expect(review.getByRole('button', { name: 'Apply' })).toHaveAttribute('aria-disabled', 'true');
  await review.getByRole('button', { name: 'Review again' }).click();
  await expect(page.getByRole('dialog', { name: 'Somebody else changed this object' })).toBeVisible();
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
  await page.keyboard.press('f');
  await expect(agent(page, 'flaky')).toBeInViewport({ ratio: 1 });
  await expect(agent(page, 'answers')).toBeInViewport({ ratio: 1 });
  const source = agent(page, 'flaky').locator('.react-flow__handle.source');
  const connection = page.getByRole('treeitem', { name: /^Connection to answers/ });
  // On the handle, then on the card far from both handles.
  for (const [right, down] of [
    [5, 5],
    [90, 0],
  ] as const) {
    // Waits until both stand still: the fit moves them, and so does the undo.
    await source.hover();
    const to = await agent(page, 'answers').locator('.react-flow__handle.target').boundingBox();
    if (!to) throw new Error('the handle is not there');
    const [x, y] = [to.x + right, to.y + down];
    await page.mouse.down();
    await page.mouse.move(x, y, { steps: 12 });
    await page.mouse.up();
    await expect(connection).toBeVisible();
    await expect(problems.getByText('answers never runs')).toBeHidden();
    await page.keyboard.press('Control+z');
    await expect(connection).toBeHidden();
  }
  await page.keyboard.press('Control+z');
  await expect(agent(page, 'answers')).toBeHidden();
  await expect(page.getByText('No changes')).toBeVisible();
});

test('a problem can be corrected in the place where it is reported', async ({ page, world }) => {
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
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without applying?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(problems).toBeVisible();
});

/** From a list of systems: a changed designer. */
async function changeServiceDesk(page: Page): Promise<void> {
  await page
    .getByRole('row', { name: /service-desk/ })
    .getByRole('link')
    .first()
    .click();
  await page.getByRole('button', { name: 'Add agent' }).click();
  await page.getByRole('combobox', { name: 'Agent' }).fill('night');
  await page.keyboard.press('Enter');
  await expect(agent(page, 'night')).toBeVisible();
}

test('Back leaves unsaved changes only after the answer, however often it is pressed', async ({ page, world }) => {
  await page.goto('about:blank');
  await page.goto(`${world.url}/n/operations/agent-systems`);
  await changeServiceDesk(page);
  const question = page.getByRole('dialog', { name: 'Leave without applying?' });
  for (const _press of ['first', 'second']) {
    await page.evaluate(() => history.back());
    await expect(question).toBeVisible();
    await expect(page).toHaveURL(/agent-systems\/service-desk/);
  }
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(agent(page, 'night')).toBeVisible();
  await page.evaluate(() => history.back());
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/n\/operations\/agent-systems$/);
  await expect(page.getByRole('row', { name: /service-desk/ })).toBeVisible();
});

test('a step over several pages is taken after the answer', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/tasks`);
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: /^Systems/ }).click();
  await changeServiceDesk(page);
  await page.evaluate(() => history.go(-2));
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/n\/operations\/tasks$/);
  await page.evaluate(() => history.forward());
  await expect(page).toHaveURL(/\/n\/operations\/agent-systems$/);
});

test('a run is started from the canvas and shown on it', async ({ page }) => {
  await page.goto('/n/default/agent-systems/cycle');
  await page.getByRole('button', { name: 'Run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run cycle' });
  const value = dialog.getByRole('textbox', { name: 'Value of change' });
  await expect(value).toHaveValue('Writes are durable now.');
  await expect(value).toBeFocused();
  await page.keyboard.type('Reads are quick.');
  await expect(value).toHaveValue('Reads are quick.');
  await dialog.getByRole('spinbutton', { name: /Turns at most/ }).fill('0');
  await expect(dialog.getByText('A loop needs a bound above 0')).toBeVisible();
  await dialog.getByRole('spinbutton', { name: /Turns at most/ }).fill('6');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Run on the canvas' });
  await expect(bar.getByText('Succeeded')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('group', { name: /^Agent publisher, succeeded/ })).toBeVisible();
  await expect(page.getByRole('group', { name: /^Connection from reviewer to drafter.*taken once/ })).toBeAttached();
  await expect(bar.getByRole('link', { name: 'Open the run' })).toBeVisible();
  await bar.getByRole('button', { name: 'Stop following the run' }).click();
  await expect(bar).toBeHidden();
});

test('a loop that max_turns ends is named beside the answer', async ({ page }) => {
  await page.goto('/n/default/agent-systems/cycle');
  await page.getByRole('button', { name: 'Run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run cycle' });
  await dialog.getByRole('spinbutton', { name: /Turns at most/ }).fill('2');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const results = page.getByRole('region', { name: 'Results of the run' });
  await expect(results).toContainText('reviewer: max_turns reached', { timeout: 20_000 });
  await expectNoBarriers(page, { picture: 'max-turns' });
  await page.getByRole('link', { name: 'Open the run' }).click();
  await expect(page.getByRole('region', { name: 'Output of the run' })).toContainText('reviewer: max_turns reached');
});

test('a run that waits for an approval links to it', async ({ page }) => {
  await page.goto('/n/default/agent-systems/approval');
  await page.getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  const results = page.getByRole('region', { name: 'Results of the run' });
  const decide = results.getByRole('link', { name: 'Decide in the inbox' });
  await expect(decide).toBeVisible({ timeout: 20_000 });
  await expect(results).not.toContainText(' works');
  await expectNoBarriers(page, { picture: 'waiting' });
  await decide.click();
  await expect(page).toHaveURL(/inbox\?item=ToolApproval/);
});

test.describe(() => {
  browserOnly('The app has one window.');

  test('agents copied in one window are pasted in another, whatever was clicked before', async ({ page, context, world }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await world.apply(
      'apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: annex, namespace: operations }\nspec: { agents: [risk] }\n',
    );
    await system(page, 'service-desk');
    await agent(page, 'triage').click();
    await page.keyboard.down('Shift');
    await agent(page, 'billing').click();
    await page.keyboard.up('Shift');
    await page.keyboard.press('Control+c');
    await expect(page.getByText('2 agents copied as YAML')).toBeAttached();
    const other = await context.newPage();
    await system(other, 'annex');
    await other.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } });
    await other.keyboard.press('Control+v');
    const tree = outline(other, 'annex');
    await expect(tree.getByRole('treeitem', { name: /^Agent triage/ })).toBeVisible();
    await expect(tree.getByRole('treeitem', { name: /^Connection to billing.*route=billing/ })).toBeVisible();
    await other.locator('.react-flow__pane').click({ position: { x: 20, y: 20 } });
    await other.keyboard.press('Control+z');
    await expect(tree.getByRole('treeitem')).toHaveCount(1);
    await other.close();
  });
});

test('a narrow window shows the canvas above the inspector', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/n/operations/agent-systems/service-desk');
  await expect(canvas(page, 'service-desk')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await expect(agent(page, 'triage')).toBeInViewport();
  await agent(page, 'triage').click();
  const heading = page.getByRole('complementary', { name: 'Inspector' }).getByRole('heading', { name: 'triage' });
  await heading.scrollIntoViewIfNeeded();
  await expect(heading).toBeInViewport();
});

test('the designer stays usable without the server, and applies once it is back', async ({ page, context, signals }) => {
  signals.allow(/ERR_INTERNET_DISCONNECTED|Failed to fetch|request failed/i);
  await system(page, 'unreliable', '?details=true');
  await context.setOffline(true);
  const apply = page.getByRole('button', { name: 'Review and apply' });
  await page.getByRole('textbox', { name: 'Description' }).pressSequentially('Written on a train');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await expect(apply).toHaveAttribute('aria-disabled', 'true');
  await apply.click({ force: true });
  await expect(page.getByRole('dialog')).toBeHidden();
  await context.setOffline(false);
  await apply.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText(/AgentSystem unreliable applied/)).toBeVisible();
});

test('a drawing is restored after a visit to another tab, with its undo history and its viewport', async ({ page }) => {
  await system(page, 'unreliable');
  const view = page.locator('.react-flow__viewport');
  const first = await view.getAttribute('style');
  await add(page, 'answers');
  await page.keyboard.press('f');
  await expect(view).not.toHaveAttribute('style', first ?? '');
  // The viewport settles.
  let kept = '';
  await expect(async () => {
    const before = kept;
    kept = (await view.getAttribute('style')) ?? '';
    expect(kept).toBe(before);
  }).toPass({ intervals: [300] });
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Overview' })).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('tab', { name: 'Design' }).click();
  await expect(agent(page, 'answers')).toBeInViewport();
  await expect(view).toHaveAttribute('style', kept);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(agent(page, 'answers')).toBeHidden();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});

test('a long system is walked by keyboard: the selected, found or remaining item is visible and focused', async ({ page, world }) => {
  const names = Array.from({ length: 40 }, (_, index) => `step-${index + 10}`);
  const routes = names.slice(1).map((name, index) => `${names[index]}: { next: ${name} }`);
  await world.apply(
    `apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: long-chain, namespace: operations }\nspec: { agents: [${names.join(', ')}], graph: { ${routes.join(', ')} } }\n`,
  );
  await system(page, 'long-chain');
  const tree = outline(page, 'long-chain');
  await tree.getByRole('treeitem').first().focus();
  await page.keyboard.press('End');
  const last = tree.getByRole('treeitem', { name: /^Agent step-49/ });
  await expect(last).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('c');
  for (let index = 0; index < 20; index += 1) await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option', { selected: true })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(last).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Control+z');
  await agent(page, 'step-10').click();
  await expect(tree.getByRole('treeitem', { name: /^Agent step-10/, selected: true })).toBeInViewport();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Delete');
  await expect(agent(page, 'step-10')).toBeFocused();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('/');
  await page.keyboard.type('step-40');
  await page.keyboard.press('Enter');
  await expect(agent(page, 'step-40')).toBeFocused();
  await expect(tree.getByRole('treeitem', { name: /^Agent step-40/, selected: true })).toBeInViewport();
});

test('problems cover the whole text and the namespace that it names', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/n/default/new/agent-systems?code=true');
  const yaml = page.getByRole('textbox', { name: /^YAML of/ });
  await expect(yaml).toContainText('name: my-system', { timeout: FIRST_LOOK_MS });
  const write = async (text: string) => {
    await page.evaluate((words) => navigator.clipboard.writeText(words), text);
    await yaml.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+v');
  };
  const named = (name: string) =>
    `apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: ${name}, namespace: operations }\nspec: { agents: [triage] }\n`;
  await write(named('No Name'));
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems).toContainText('metadata.name must be 1 to 253 letters');
  await expect(problems).not.toContainText('There is no agent triage');
  await write(named('named'));
  await expect(problems).toContainText('No problems');
});

test('moves by hand and Tidy up are undone like every other change', async ({ page }) => {
  await system(page, 'unreliable');
  const card = agent(page, 'flaky');
  await card.focus();
  const styleOf = () => card.getAttribute('style');
  const first = await styleOf();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(card).not.toHaveAttribute('style', first ?? '');
  const moved = await styleOf();
  await page.keyboard.press('Alt+Shift+T');
  await expect(card).toHaveAttribute('style', first ?? '');
  await page.keyboard.press('Control+z');
  await expect(card).toHaveAttribute('style', moved ?? '');
  await page.keyboard.press('Control+z');
  await expect(card).toHaveAttribute('style', first ?? '');
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});

test('an old route can be extended in place, and the inspector shows the state of the text', async ({ page, world }) => {
  await world.apply(
    'apiVersion: svc.dev/v1\nkind: AgentSystem\nmetadata: { name: old-form, namespace: operations }\nspec: { agents: [triage, risk], graph: { triage: { next: risk } } }\n',
  );
  await system(page, 'old-form', '?code=true');
  const yaml = page.getByRole('textbox', { name: 'YAML of old-form' });
  await expect(yaml).toContainText('next: risk', { timeout: FIRST_LOOK_MS });
  await outline(page, 'old-form')
    .getByRole('treeitem', { name: /^Connection to risk/ })
    .click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('combobox', { name: 'Taken' }).selectOption({ label: 'Always' });
  await expect(inspector.getByRole('heading', { name: 'triage → risk' })).toBeVisible();
  await expect(yaml).toContainText('condition: always');
  await inspector.getByRole('button', { name: 'Label', exact: true }).click();
  await page.keyboard.type('route');
  await page.keyboard.press('Enter');
  await expect(inspector.getByRole('textbox', { name: 'Value of route' })).toBeFocused();
  await page.keyboard.type('money');
  await expect(yaml).toContainText('route: "money"');
  const label = inspector.getByRole('textbox', { name: 'Label 1' });
  await label.fill('');
  await label.blur();
  await expect(label).toHaveValue('route');
  await label.fill('desk');
  await label.blur();
  await expect(yaml).toContainText('desk: "money"');
  await page.keyboard.press('Control+z');
  await expect(label).toHaveValue('route');
  await yaml.getByText('agents:').first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(' [');
  await expect(label).toBeDisabled();
});
