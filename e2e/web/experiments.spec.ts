// An experiment from its table: outputs side by side, ratings by keyboard, filters, changes, a cancel.
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const SCRIPT = JSON.stringify([{ text: '{{transcript}}', repeat: true }]);
const manifest = (kind: string, name: string, spec: object) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });
const OFFICE = [
  manifest('ModelEndpoint', 'echo', { provider: 'mock', options: { script: SCRIPT } }),
  manifest('Agent', 'clerk', { model_ref: 'echo', prompt: 'Be formal. Sign with the name of the office.' }),
  manifest('AgentSystem', 'office', { agents: ['clerk'] }),
].join('\n---\n');
const KIND = manifest('Agent', 'clerk', { model_ref: 'echo', prompt: 'Be kind. Sign with the name of the office.' });
const TONE = {
  system: 'office',
  cases: [
    { name: 'greeting', input: { message: 'Hello' } },
    { name: 'refund', input: { message: 'Where is my money?' } },
  ],
  variants: [
    { name: 'today' },
    { name: 'before', versions: [{ kind: 'Agent', name: 'clerk', generation: 1 }] },
    { name: 'short', overrides: { prompt: { clerk: 'Be brief.' } } },
  ],
};

test('an experiment shows outputs side by side and is rated by keys', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  await world.apply(KIND);
  await world.apply(manifest('Experiment', 'tone', TONE));
  await page.goto(`${world.url}/n/default/experiments/tone`);
  await expect(page.getByText('6 of 6 runs have ended')).toBeVisible();
  const table = page.getByRole('table', { name: 'Outputs by case and variant' });
  await expect(table.getByRole('row')).toHaveCount(3);
  const cell = (name: string) => table.getByRole('cell', { name });
  await expect(cell('greeting, before')).toContainText('Be formal.');
  await cell('greeting, today').focus();
  await page.keyboard.press('l');
  await expect(cell('greeting, before')).toBeFocused();
  await page.keyboard.press('-');
  await expect(cell('greeting, before').getByRole('button', { name: 'Thumb down' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByLabel('Note').fill('too stiff');
  await page.keyboard.press('Control+Enter');
  await expect(cell('greeting, before')).toContainText('too stiff');
  await page.keyboard.press('j');
  await page.keyboard.press('h');
  await expect(cell('refund, today')).toBeFocused();
  await page.keyboard.press('+');
  const metrics = page.getByRole('region', { name: 'Metrics of the variants' });
  await expect(metrics.getByRole('row', { name: /^before 2 2 0 0 0 0 1 / })).toBeVisible();
  await expect(metrics.getByRole('row', { name: /^today 2 2 0 0 0 1 0 / })).toBeVisible();
  await page.getByRole('button', { name: 'Changes against today' }).click();
  await expect(cell('greeting, before').locator('ins').first()).toHaveText('formal');
  await expectNoBarriers(page, { picture: 'experiment', widths: [1440, 1000] });
  await page
    .getByRole('button', { name: /^Thumb down/, exact: false })
    .and(page.locator('[data-state]'))
    .click();
  await expect(table.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: /^Failed/ }).click();
  await expect(page.getByText('No rows match these filters')).toBeVisible();
  await page.getByRole('button', { name: /^Failed/ }).click();
  await cell('greeting, before').focus();
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/\/tasks\/tone-0002$/);
});

test('an experiment is cancelled from its page and keeps its ended runs', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE.replace(JSON.stringify(SCRIPT), JSON.stringify(JSON.stringify([{ text: 'Done.', delay: '2s', repeat: true }]))));
  await world.apply(manifest('Experiment', 'slow', { ...TONE, variants: [{ name: 'today' }], repeats: 10, parallelism: 2 }));
  await page.goto(`${world.url}/n/default/experiments/slow`);
  await expect(page.getByText(/of 20 runs have ended, 2 are active/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the experiment' }).click();
  await expect(page.getByText('Cancelled').first()).toBeVisible();
  await expect(page.getByText(/of 20 runs have ended$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel', exact: true })).toHaveCount(0);
});

test('an experiment is written as a form, estimated and started', async ({ page, emptyWorld: world, signals }) => {
  await world.apply(OFFICE);
  await world.apply(KIND);
  const saved = { system: 'office', mode: 'template', input: { message: 'Where is my money?' } };
  await world.apply(
    JSON.stringify({
      apiVersion: 'svc.dev/v1',
      kind: 'Task',
      metadata: { name: 'refund', labels: { 'svc.dev/case': 'true' } },
      spec: saved,
    }),
  );
  await page.goto(`${world.url}/n/default/agents/clerk?tab=versions`);
  await page.getByRole('link', { name: 'Compare over cases' }).click();
  await expect(page.getByRole('heading', { name: 'New experiment' })).toBeVisible();
  await expect(page.getByLabel('System')).toHaveValue('office');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('Enter a name')).toBeVisible();
  await expect(page.getByText('Add a case: an input')).toBeVisible();
  await page.getByRole('main').getByLabel('Name').first().fill('written');
  await page.getByRole('button', { name: 'Add 1 saved input' }).click();
  await page.getByRole('button', { name: 'Add a case' }).click();
  const cases = page.getByRole('list', { name: 'Cases' }).getByRole('listitem');
  await cases.nth(1).getByLabel('Name').fill('greeting');
  await cases.nth(1).getByLabel('Input').fill('{"message": "Hello"');
  await expect(page.getByText('This is not valid JSON')).toBeVisible();
  await cases.nth(1).getByLabel('Input').fill('{"message": "Hello"}');
  const variants = page.getByRole('list', { name: 'Variants' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Add a variant' }).click();
  await variants.nth(1).getByLabel('Name').fill('before');
  await variants
    .nth(1)
    .getByLabel('Version')
    .selectOption({ label: `1, by ${world.person}` });
  await page.getByRole('button', { name: 'Add a variant' }).click();
  await variants.nth(2).getByLabel('Name').fill('short');
  await variants.nth(2).getByLabel('Runs').selectOption('Edited prompt');
  await variants.nth(2).getByRole('button', { name: 'Insert the current prompt' }).click();
  await expect(variants.nth(2).getByLabel('Prompt')).toHaveValue(/Be kind/);
  await variants.nth(2).getByLabel('Prompt').fill('Be brief.');
  await expect(page.getByRole('button', { name: 'Start 6 runs' })).toBeVisible();
  // The other tests of this file may have run the system before.
  await expect(
    page.getByText(/^6 runs(; tokens and cost are not known|, about \d+ tokens and \$0\.00, estimated from \d+ earlier runs)/),
  ).toBeVisible();
  await expectNoBarriers(page, { picture: 'new', widths: [1440, 1000] });
  await page.getByLabel('Repeats').fill('5');
  await page.getByRole('button', { name: 'Start 30 runs' }).click();
  await expect(page.getByRole('dialog')).toContainText('Its tools are called for real');
  await page.getByRole('dialog').getByRole('button', { name: 'Not yet' }).click();
  signals.allow(/400/);
  await page.getByLabel('Repeats').fill('50');
  await expect(page.getByText('Enter a budget: these are 300 runs')).toBeVisible();
  await page.getByLabel('Budget of tokens').fill('1000');
  await expect(page.getByText('spec.repeats must be from 1 to 10, not 50')).toBeVisible();
  await page.getByLabel('Repeats').fill('1');
  await page.getByLabel('Budget of tokens').fill('');
  await page.getByRole('button', { name: 'Start 6 runs' }).click();
  await expect(page).toHaveURL(/\/experiments\/written$/);
  await expect(page.getByText('6 of 6 runs have ended')).toBeVisible();
});

test('the form of a new experiment that was left is restored', async ({ page, emptyWorld: world }) => {
  await world.apply(OFFICE);
  await page.goto(`${world.url}/n/default/experiment`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('manners');
  await page.getByRole('button', { name: 'Add a case' }).click();
  await expect(page.getByText('Kept as a draft on this machine')).toBeVisible();
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true }).first()).toHaveValue('manners');
  await expect(page.getByRole('textbox', { name: 'Input', exact: true })).toHaveCount(1);
  await page.getByRole('button', { name: 'Start 1 run' }).click();
  await expect(page).toHaveURL(/experiments\/manners$/);
  await page.goto(`${world.url}/n/default/experiment`);
  await expect(page.getByRole('textbox', { name: 'Name', exact: true }).first()).toHaveValue('');
  await expect(page.getByText('You have an unsaved draft')).toBeHidden();
});
