// The side form of an agent: its prompt at full height, and gifts of the library.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;

const SCRIPT = JSON.stringify([{ text: '{{transcript}}', repeat: true }]);
const manifest = (kind: string, name: string, spec: object) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
const clerk = (prompt: string) => manifest('Agent', 'clerk', { model_ref: 'echo', prompt, tools: ['mail'] });
const OFFICE = [
  manifest('ModelEndpoint', 'echo', { provider: 'mock', options: { script: SCRIPT } }),
  manifest('ModelEndpoint', 'small', { provider: 'mock' }),
  manifest('Memory', 'notes', { provider: 'in-memory' }),
  manifest('ToolPermission', 'mail-needs', { tool_ref: 'mail', match_mode: 'all', required_permissions: ['mail.send'] }),
  manifest('AgentRole', 'mailer', { permissions: ['mail.send'] }),
  manifest('Tool', 'mail', { type: 'http', endpoint: 'http://127.0.0.1:9/mail', risk_level: 'high', operation_classes: ['write'] }),
  manifest('Tool', 'clock', { type: 'http', endpoint: 'http://127.0.0.1:9/clock', risk_level: 'low', operation_classes: ['read'] }),
  clerk('Be formal. Sign with the name of the office.'),
  manifest('Agent', 'planner', { model_ref: 'echo', prompt: 'Plan.' }),
  manifest('AgentSystem', 'office', { agents: ['planner', 'clerk'], graph: { planner: { edges: [{ to: 'clerk' }] }, clerk: {} } }),
].join('\n---\n');

const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

test.beforeEach(async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  await page.goto(`${world.url}/n/default/agent-systems/office?item=clerk`);
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toBeVisible({ timeout: FIRST_LOOK_MS });
});

test('a prompt is written at full height, tried with the last input and compared with earlier versions', async ({
  page,
  emptyWorld: world,
}) => {
  await world.apply(clerk('Be kind. Sign with the name of the office.'));
  await world.run('default/office', 'asked', { message: 'Where is my money?' });
  await world.untilPhase('default/asked', ['Succeeded']);
  await page.reload();
  await inspector(page).getByRole('button', { name: 'Edit and try' }).click({ timeout: FIRST_LOOK_MS });
  const dialog = page.getByRole('dialog', { name: 'Prompt of clerk' });
  const prompt = dialog.getByRole('textbox', { name: 'Prompt' });
  const height = await prompt.evaluate((field) => field.getBoundingClientRect().height / innerHeight);
  expect(height).toBeGreaterThan(0.6);
  await expect(dialog.getByText(/about \d+ tokens/)).toBeVisible();
  await prompt.fill('Answer from');
  await dialog.getByRole('button', { name: 'From planner' }).click();
  await expect(prompt).toHaveValue('Answer from the section "From planner"');
  await expect(dialog.getByRole('button', { name: 'message' })).toBeVisible();
  // The message of the last run, with the output of the agent before.
  await expect(dialog.getByRole('textbox', { name: 'Message' })).toHaveValue(/Where is my money\?[\s\S]*# From planner\n[\s\S]*Plan\./);
  await dialog.getByRole('button', { name: 'Ask echo' }).click();
  await expect(dialog.getByText(/system: Answer from the section "From planner"/)).toBeVisible();
  await expectNoBarriers(page, { picture: 'prompt-try' });
  await dialog.getByRole('radio', { name: 'Changes' }).click();
  await expect(dialog.getByRole('region', { name: 'Changes of the prompt' }).locator('del').first()).toBeVisible();
  const versions = dialog.getByRole('combobox', { name: 'Compared with' });
  const earlier = await versions
    .getByRole('option', { name: /^Version/ })
    .first()
    .getAttribute('value');
  await versions.selectOption(earlier);
  await expect(dialog.getByRole('region', { name: 'Changes of the prompt' })).toContainText('formal');
  await expectNoBarriers(page, { picture: 'prompt-changes' });
  await dialog.getByRole('button', { name: 'Use this prompt' }).click();
  await expect(prompt).toHaveValue('Be formal. Sign with the name of the office.');
});

test('tools and models of the library are dragged onto an agent, or given by a press', async ({ page }) => {
  await page.getByRole('button', { name: 'Show outline and library' }).click();
  await page.getByRole('radio', { name: 'Tools' }).click();
  const tools = page.getByRole('region', { name: 'Tools to give' });
  await tools.getByRole('button', { name: 'clock' }).dragTo(agent(page, 'planner'));
  await expect(inspector(page).getByRole('heading', { name: 'planner' })).toBeVisible();
  await expect(inspector(page).getByRole('region', { name: 'Tools' })).toContainText('clock');
  await tools.getByRole('button', { name: 'New: HTTP request' }).dragTo(agent(page, 'clerk'));
  const dialog = page.getByRole('dialog', { name: 'Add a tool to clerk' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/search');
  await dialog.getByRole('button', { name: 'Add this tool' }).click();
  await expect(inspector(page).getByRole('region', { name: 'Tools' })).toContainText('search new');
  await page.getByRole('radio', { name: 'Models' }).click();
  await expectNoBarriers(page, { picture: 'library' });
  await page
    .getByRole('region', { name: 'Models to give' })
    .getByRole('button', { name: /^small/ })
    .click();
  await expect(inspector(page).getByRole('combobox', { name: 'Model' })).toHaveValue('small');
  await page.getByRole('region', { name: 'Models to give' }).getByRole('button', { name: 'New: Anthropic' }).dragTo(agent(page, 'planner'));
  const model = page.getByRole('dialog', { name: 'New model' });
  await expect(model.getByRole('button', { name: /^Anthropic/, pressed: true })).toBeVisible();
  await page.keyboard.press('Escape');
  // Each gift is one undo step.
  await page.getByRole('button', { name: 'Undo' }).click();
  await agent(page, 'clerk').click();
  await expect(inspector(page).getByRole('combobox', { name: 'Model' })).toHaveValue('echo');
});
