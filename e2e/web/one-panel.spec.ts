// One panel at the right: the inspector replaces a page's own panel until it closes.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
const WIDTHS = [1440, 1100, 800];

const panels = (page: Page) => page.getByRole('complementary');
const panel = (page: Page, name: string | RegExp) => page.getByRole('complementary', { name });
const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const closePanel = (page: Page) => panels(page).getByRole('button', { name: 'Close inspector' });

const CLOSINGS = {
  Escape: (page: Page) => page.keyboard.press('Escape'),
  'its button': (page: Page) => closePanel(page).click(),
  Back: (page: Page) => page.goBack(),
};

async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
}

async function widthOf(page: Page, selector: string): Promise<number> {
  return (await page.locator(selector).boundingBox())?.width ?? 0;
}

/** Opens the span of a tool call. */
async function openSpan(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/n/operations/tasks/invoice-cleanup?tab=graph`);
  await page
    .getByRole('treegrid', { name: 'Trace' })
    .getByRole('row', { name: /Tool call: *ledger-search/ })
    .click();
  await expect(panel(page, /^Tool call: *ledger-search/)).toBeVisible();
}

async function openNode(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/n/operations/agent-systems/service-desk?item=billing`);
  await expect(panel(page, 'Inspector').getByRole('textbox', { name: 'Prompt' })).toBeVisible({ timeout: FIRST_LOOK_MS });
}

for (const width of WIDTHS) {
  test(`the object of a span takes the place of the span, ${width} px wide`, async ({ page, world }) => {
    await setWidth(page, width);
    await openSpan(page, world.url);
    const before = await widthOf(page, 'main > * > div');
    const link = panel(page, /^Tool call/).getByRole('link', { name: 'ledger-search' });
    for (const close of Object.values(CLOSINGS)) {
      await link.click();
      await expect(panel(page, 'Tool: ledger-search')).toBeFocused();
      await expect(panels(page)).toHaveCount(1);
      await expect(page).toHaveURL(/span=tool-.*peek=Tool/);
      await expect.poll(() => widthOf(page, 'main > * > div')).toBe(before);
      await close(page);
      await expect(panel(page, /^Tool call: *ledger-search/)).toBeVisible();
      await expect(panels(page)).toHaveCount(1);
      await expect(link).toBeFocused();
    }
  });

  test(`the object of an agent takes the place of its form, ${width} px wide`, async ({ page, world }) => {
    await setWidth(page, width);
    await openNode(page, world.url);
    const prompt = panel(page, 'Inspector').getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('An unsaved prompt.');
    const link = panel(page, 'Inspector').getByRole('heading').getByRole('link', { name: 'billing' });
    for (const close of Object.values(CLOSINGS)) {
      await link.click();
      await expect(panel(page, 'Agent: billing')).toBeFocused();
      await expect(panels(page)).toHaveCount(1);
      await expect.poll(() => widthOf(page, '.react-flow')).toBeGreaterThan(300);
      await close(page);
      await expect(panels(page)).toHaveCount(1);
      await expect(link).toBeFocused();
      await expect(prompt).toHaveText('An unsaved prompt.');
    }
  });
}

test('another span closes the inspector, and Escape closes the visible panel first', async ({ page, world }) => {
  await openSpan(page, world.url);
  await panel(page, /^Tool call/)
    .getByRole('link', { name: 'ledger-search' })
    .click();
  await expect(panel(page, 'Tool: ledger-search')).toBeVisible();
  await page
    .getByRole('treegrid')
    .getByRole('row', { name: /Model call/ })
    .first()
    .click();
  await expect(panel(page, /^Model call/)).toBeVisible();
  await expect(panels(page)).toHaveCount(1);
  await expect(page).not.toHaveURL(/peek=/);
  await page.goBack();
  await expect(panel(page, /^Tool call/)).toBeVisible();
  await page.goForward();
  await expect(panel(page, /^Model call/)).toBeVisible();
  await page.goto(`${page.url()}&peek=Agent/operations/billing`);
  await expect(panel(page, 'Agent: billing')).toBeVisible();
  await page
    .getByRole('treegrid')
    .getByRole('row', { name: /Model call/ })
    .first()
    .focus();
  await page.keyboard.press('Escape');
  await expect(panel(page, /^Model call/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panels(page)).toHaveCount(0);
});

test('another agent closes the inspector, Back returns to the one before, and the panes of the designer come back by their buttons', async ({
  page,
  world,
}) => {
  await openNode(page, world.url);
  await panel(page, 'Inspector').getByRole('heading').getByRole('link', { name: 'billing' }).click();
  await expect(panel(page, 'Agent: billing')).toBeVisible();
  await agent(page, 'triage').click();
  await expect(panel(page, 'Inspector').getByRole('heading', { name: 'triage' })).toBeVisible();
  await expect(panels(page)).toHaveCount(1);
  await page.goBack();
  await expect(panel(page, 'Inspector').getByRole('heading', { name: 'billing' })).toBeVisible();
  await expect(page).toHaveURL(/item=billing/);
  const yaml = page.getByRole('button', { name: 'YAML', exact: true });
  await yaml.click();
  await expect(yaml).toHaveAttribute('aria-pressed', 'true');
  await panel(page, 'Inspector').getByRole('heading').getByRole('link', { name: 'billing' }).click();
  await expect(panel(page, 'Agent: billing')).toBeVisible();
  await expect(yaml).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByRole('textbox', { name: 'YAML of service-desk' })).toBeHidden();
  await yaml.click();
  await expect(page.getByRole('textbox', { name: 'YAML of service-desk' })).toBeVisible();
  await expect(panel(page, 'Agent: billing')).toHaveCount(0);
});

test('an address with a span or an agent beside an object shows the object, on a failed run too', async ({ page, world }) => {
  const peek = 'peek=Agent/operations/billing';
  for (const path of ['tasks/invoice-cleanup?span=tool-1', 'tasks/doomed?tab=graph', 'agent-systems/service-desk?item=triage&code=true']) {
    await page.goto(`${world.url}/n/operations/${path}&${peek}`);
    await expect(page.getByRole('treegrid').or(page.locator('.react-flow')).first()).toBeVisible({ timeout: FIRST_LOOK_MS });
    await expect(panel(page, 'Agent: billing')).toBeVisible();
    await expect(panels(page)).toHaveCount(1);
  }
});

test('the search of the top bar is a button where the bar is narrow', async ({ page, world }) => {
  await setWidth(page, 800);
  await page.goto(`${world.url}/n/operations/agents?peek=Agent/operations/billing`);
  await expect(panel(page, 'Agent: billing')).toBeVisible();
  const bar = page.getByRole('banner');
  const edges = await bar
    .locator('button:visible, a:visible')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  for (const [index, [left = 0]] of edges.slice(1).entries()) expect(left).toBeGreaterThanOrEqual((edges[index]?.[1] ?? 0) - 1);
  await expect(bar.getByText('Ctrl')).toBeHidden();
});

test('the open approval stays visible with its comment beside the inspector, 800 px wide', async ({ page, world }) => {
  await setWidth(page, 800);
  await page.goto(`${world.url}/n/operations/inbox`);
  const decision = page.getByRole('region', { name: 'Decision' });
  const comment = decision.getByRole('textbox', { name: 'Comment' });
  await comment.fill('Duplicates of 1043.');
  await decision.getByRole('link', { name: 'invoice-delete', exact: true }).click();
  await expect(panel(page, 'Tool: invoice-delete')).toBeFocused();
  await expect(comment).toHaveValue('Duplicates of 1043.');
  await expect.poll(async () => (await comment.boundingBox())?.width).toBeGreaterThan(200);
  await page.getByRole('main').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Escape');
  await expect(panels(page)).toHaveCount(0);
  await expect(comment).toHaveValue('Duplicates of 1043.');
});

test('the inspector replaces the checkpoints of a Session and the context of an approval', async ({ page, world }) => {
  await setWidth(page, 1920);
  await page.goto(`${world.url}/n/operations/inbox`);
  await expect(panel(page, 'Context')).toBeVisible();
  await page.getByRole('link', { name: 'billing', exact: true }).click();
  await expect(panel(page, 'Agent: billing')).toBeVisible();
  await expect(panels(page)).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(panel(page, 'Context')).toBeVisible();
  await world.apply(
    JSON.stringify({
      apiVersion: 'svc.dev/v1',
      kind: 'Session',
      metadata: { name: 'talk', namespace: 'operations' },
      spec: { system: 'service-desk' },
    }),
  );
  await page.goto(`${world.url}/n/operations/sessions/talk?checkpoints=true`);
  await expect(panel(page, 'Checkpoints')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'service-desk' }).first().click();
  await expect(panel(page, 'Agent system: service-desk')).toBeVisible();
  await expect(panels(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Checkpoints' }).click();
  await expect(panel(page, 'Checkpoints')).toBeVisible();
  await expect(panels(page)).toHaveCount(1);
});
