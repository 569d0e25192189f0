// The side form of an agent: its settings in words, its prompt at full height, and what the library gives to it.
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
  manifest('Tool', 'mail', {
    type: 'http',
    endpoint: 'https://tools.example/mail',
    risk_level: 'high',
    operation_classes: ['write'],
    runtime: { isolation_mode: 'none' },
  }),
  manifest('Tool', 'clock', { type: 'http', endpoint: 'https://tools.example/clock', risk_level: 'low', operation_classes: ['read'] }),
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

test('roles, memory, limits and execution are chosen in words and stored', async ({ page, emptyWorld: world }) => {
  const form = inspector(page);
  const mail = form.getByRole('region', { name: 'Tools' }).getByRole('listitem').filter({ hasText: 'mail' });
  await expect(mail).toContainText('high');
  await expect(mail).toContainText('Denied');
  await form.getByRole('combobox', { name: 'Roles' }).click();
  await form.getByRole('option', { name: 'mailer' }).click();
  await expect(form.getByRole('list', { name: 'Roles of the agent' })).toContainText('mailer');
  // Governance judges the draft.
  await expect(mail).toContainText('Allowed');
  await mail.getByRole('button', { name: 'Require approval' }).click();
  await expect(mail).toContainText('Needs approval');
  await form.getByRole('combobox', { name: 'Memory' }).fill('not');
  await form.getByRole('option', { name: 'notes' }).click();
  await expect(form.getByRole('checkbox', { name: 'Search' })).toBeChecked();
  await form.getByRole('checkbox', { name: 'Write entries' }).check();
  const steps = form.getByRole('textbox', { name: 'Model steps at most' });
  await steps.fill('many');
  await expect(form.getByText(/must be a(n)? (whole )?(number|integer)|expected (int|number)/i).first()).toBeVisible();
  await steps.fill('4');
  await form.getByRole('textbox', { name: 'Time of a turn' }).fill('soon');
  await expect(form.getByText(/duration/).first()).toBeVisible();
  await form.getByRole('textbox', { name: 'Time of a turn' }).fill('2m');
  await form.getByRole('combobox', { name: 'Execution' }).selectOption('contract');
  await expect(form.getByText('must list at least one tool when profile is contract')).toBeVisible();
  await form.getByRole('checkbox', { name: 'mail' }).check();
  await form.getByRole('combobox', { name: 'A broken contract' }).selectOption('observe');
  await form.getByRole('combobox', { name: 'After a tool call' }).scrollIntoViewIfNeeded();
  await expectNoBarriers(page, { picture: 'settings', widths: [1000, 1440] });
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await page.getByRole('dialog', { name: 'Apply 2 objects' }).getByRole('button', { name: 'Apply all' }).click();
  await expect(page.getByText('2 objects applied as one')).toBeVisible();
  const { spec } = (await world.call('GET', '/v1/agents/clerk')) as { spec: object };
  expect(spec).toMatchObject({
    roles: ['mailer'],
    memory: { ref: 'notes', allow: ['read', 'write', 'search'] },
    limits: { max_steps: 4, timeout: '2m' },
    execution: { profile: 'contract', tool_sequence: ['mail'], on_contract_violation: 'observe' },
  });
  await expect(mail).toContainText('by ToolPermission clerk-mail');
  await page.getByRole('button', { name: 'Undo all' }).click();
  await expect(page.getByText('Undone: everything is as it was before')).toBeVisible();
  expect(((await world.call('GET', '/v1/agents/clerk')) as { spec: object }).spec).not.toHaveProperty('roles');
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
  await expect.poll(() => prompt.evaluate((field) => field.getBoundingClientRect().height / innerHeight)).toBeGreaterThan(0.6);
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

test('tools and models of the library are dragged onto an agent, or added by a button', async ({ page }) => {
  await page.getByRole('button', { name: 'Outline and library' }).click();
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
