// Runs: found in the list, opened, explained, cancelled, retried with another input, compared.
import type { Locator, Page } from '@playwright/test';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';
import { forgetSettings } from './settings-of-person.ts';

test.afterEach(({ world }) => forgetSettings(world));

const open = (page: Page, world: World, path: string) => page.goto(`${world.url}${path}`);
const table = (page: Page) => page.getByRole('grid', { name: 'Runs' });
const rowOf = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name });

test('the list filters by state on the server, and the address keeps the filter', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks');
  await expect(rowOf(page, 'question-1')).toBeVisible();
  await expect(rowOf(page, 'report-template')).toHaveCount(0);
  await page
    .getByRole('group', { name: 'States' })
    .getByRole('button', { name: /Dead letter/ })
    .click();
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await expect(rowOf(page, 'question-1')).toHaveCount(0);
  await expect(page).toHaveURL(/phase=DeadLetter/);
  await page.reload();
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await expect(rowOf(page, 'question-1')).toHaveCount(0);
});

test('a name is found by its words, a cell value narrows the list, and an empty result explains itself', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks');
  await page.getByRole('combobox', { name: 'Search runs' }).fill('question');
  await expect(rowOf(page, 'question-6')).toBeVisible();
  await expect(rowOf(page, 'doomed')).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Search runs' }).fill('nothing-has-this-name');
  await expect(page.getByRole('heading', { name: 'No run has these words' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await rowOf(page, 'doomed').getByRole('button', { name: 'execution_failed' }).click();
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await expect(rowOf(page, 'question-1')).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove the filter reason execution_failed' }).click();
  await expect(rowOf(page, 'question-1')).toBeVisible();
});

test('heads of columns sort the list on the server, and the address keeps the order', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks');
  const head = (title: string) => table(page).getByRole('columnheader', { name: title, exact: true });
  const first = table(page).getByRole('row').nth(1);
  await head('System').getByRole('button').click();
  await expect(page).toHaveURL(/sort=system/);
  await expect(head('System')).toHaveAttribute('aria-sort', 'ascending');
  await expect(first).toContainText('patient');
  await head('System').getByRole('button').click();
  await expect(head('System')).toHaveAttribute('aria-sort', 'descending');
  await expect(first).toContainText('unreliable');
  await page.reload();
  await expect(first).toContainText('unreliable');
  await head('Duration').getByRole('button').click();
  await expect(page).toHaveURL(/sort=-duration/);
  await expect(head('Duration')).toHaveAttribute('aria-sort', 'descending');
  await expectNoBarriers(page, { picture: 'sorted', widths: [1000, 1440] });
});

test('the way back undoes each chosen filter, and forward chooses it again', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks');
  const states = page.getByRole('group', { name: 'States' });
  await states.getByRole('button', { name: /^Succeeded/ }).click();
  await expect(page).toHaveURL(/phase=Succeeded$/);
  await states.getByRole('button', { name: /^Dead letter/ }).click();
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/phase=Succeeded$/);
  await expect(rowOf(page, 'doomed')).toBeHidden();
  await page.goBack();
  await expect(states.getByRole('button', { pressed: true })).toHaveCount(0);
  await page.goForward();
  await expect(states.getByRole('button', { pressed: true })).toHaveText(/Succeeded/);
});

test('rows are walked, selected and opened by keyboard', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks?q=question');
  await rowOf(page, 'question-2').focus();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const bar = page.getByRole('toolbar', { name: 'Selected runs' });
  await expect(bar.getByRole('status')).toHaveText('2 selected');
  await expect(bar.getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-disabled', 'true');
  await bar.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
  await page.goBack();
  await rowOf(page, 'question-2').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'question-2' })).toBeVisible();
});

test('inputs of selected runs of one system become the cases of an experiment', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks?q=question');
  for (const name of ['question-1', 'question-2']) await rowOf(page, name).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selected runs' });
  await expectNoBarriers(page, { picture: 'selected', widths: [1440, 390, 1440] });
  await bar.getByRole('button', { name: 'Replay as test' }).click();
  await expect(page.getByRole('heading', { name: 'New experiment' })).toBeVisible();
  const cases = page.getByRole('list', { name: 'Cases' }).getByRole('listitem');
  await expect(cases).toHaveCount(2);
  await expect(cases.nth(0).getByLabel('Name')).toHaveValue('question-1');
  await expect(cases.nth(1).getByLabel('Name')).toHaveValue('question-2');
  await expect(cases.nth(1).getByLabel('Input')).not.toHaveValue('{}');
  await expect(page.getByLabel('System')).not.toHaveValue('');
});

test('keys work from the first press, and the palette acts on the run', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks?q=doomed');
  await expect(rowOf(page, 'doomed')).toBeVisible();
  // Failing call by keyboard: two keys in the list, none on the page.
  await page.keyboard.press('j');
  await expect(rowOf(page, 'doomed')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: /Model/ }).getByRole('region', { name: 'Error' })).toContainText('overloaded');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('retry');
  await page.getByRole('option', { name: /Retry this run with edits/ }).click();
  await expect(page.getByRole('dialog', { name: 'Retry doomed with edits' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dark');
  const kept = page.waitForResponse(/preferences\.set/);
  await page.getByRole('option', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  // Settings that arrive after the test would be those of the next one.
  await kept;
});

test('x selects the first row at once, and Escape leaves a field for the list', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks?q=question');
  await expect(rowOf(page, 'question-1')).toBeVisible();
  await page.keyboard.press('x');
  await expect(page.getByRole('toolbar', { name: 'Selected runs' }).getByRole('status')).toHaveText('1 selected');
  await page.getByRole('combobox', { name: 'Search runs' }).focus();
  // The first press clears the text.
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect(table(page).getByRole('row').and(page.locator(':focus'))).toHaveCount(1);
});

test('the states show their counts, unless an uncounted filter is set', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks');
  const states = page.getByRole('group', { name: 'States' });
  await expect(states.getByRole('button', { name: /Running/ })).toHaveText(/\d$/);
  await page.getByRole('combobox', { name: 'Search runs' }).fill('doom');
  await expect(rowOf(page, 'question-1')).toHaveCount(0);
  await expect(states).not.toContainText(/\d/);
});

test('filters are saved as a personal view', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks?phase=Succeeded');
  await page.getByRole('button', { name: 'Own filters' }).click();
  const views = page.getByRole('dialog', { name: 'Views' });
  await views.getByRole('textbox', { name: 'Save filters as' }).fill('Done');
  await views.getByRole('button', { name: 'Save' }).click();
  await views.getByRole('button', { name: 'All runs' }).click();
  await expect(views).toHaveCount(0);
  await expect(rowOf(page, 'doomed')).toBeVisible();
  await page.getByRole('button', { name: 'All runs' }).click();
  await views.getByRole('button', { name: 'Done', exact: true }).click();
  await expect(page).toHaveURL(/phase=Succeeded/);
  await expect(rowOf(page, 'doomed')).toHaveCount(0);
});

test('a failed run shows its cause and links to the failing step', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks/doomed');
  const card = page.getByRole('region', { name: /Model call of flaky failed/ });
  await expect(card).toContainText('The provider is overloaded');
  await expect(card.getByRole('heading', { name: 'Next steps' })).toBeVisible();
  // Its span is open on arrival, and stays closed once it was closed.
  const details = page.getByRole('complementary', { name: /Model/ });
  await expect(details.getByRole('region', { name: 'Error' })).toContainText('overloaded');
  await details.getByRole('button', { name: 'Close inspector' }).click();
  await expect(details).toHaveCount(0);
  await expect(page).not.toHaveURL(/span=/);
  await card.getByRole('link', { name: 'flaky called its model' }).click();
  await expect(page).toHaveURL(/span=/);
  await expect(details).toBeInViewport({ ratio: 1 });
});

test('a run shows its answer first, and its graph beside the waterfall', async ({ page, world }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, world, '/n/operations/tasks/question-1');
  await expect(page.getByRole('region', { name: 'Output of the run' })).toContainText('We are open from 9 to 17');
  await expect(page.getByRole('region', { name: 'Input of the run' })).toContainText('When are you open on day 1?');
  const graph = page.getByRole('button', { name: 'Graph', exact: true });
  await expect(graph).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('separator', { name: 'Width of the graph' })).toBeVisible();
  await graph.click();
  await expect(page.getByRole('separator', { name: 'Width of the graph' })).toHaveCount(0);
  await page.reload();
  await expect(graph).toHaveAttribute('aria-pressed', 'false');
});

test('a waiting run links to its approval', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks/invoice-second');
  const card = page.getByRole('region', { name: 'Waiting for approval' });
  await expect(card).toContainText('billing wants to run invoice-delete');
  await expect(page.getByText('Waited for people')).toBeVisible();
  await expect(card.getByRole('link', { name: 'Decide in the inbox' })).toHaveAttribute('href', /inbox\?item=ToolApproval/);
  await page.getByRole('tab', { name: /Explain/ }).click();
  await expect(page.getByRole('tabpanel')).toContainText('waiting_approval');
  await expect(page.getByRole('timer').first()).toBeVisible();
});

test('messages, log, metrics, cost, input and YAML are each a tab with an address', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks/report-q3?tab=messages');
  await expect(page.getByRole('region', { name: 'Branch b001', exact: true })).toBeVisible();
  await page.getByRole('button', { name: /collector to market/ }).click();
  await expect(page.getByRole('tabpanel')).toContainText('Revenue in Q3 was 4.2 million euros');
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page.getByRole('searchbox', { name: 'Find in the log' }).fill('agent_start');
  await expect(page.getByRole('status').filter({ hasText: / of / })).toBeVisible();
  await page.getByRole('tab', { name: 'Metrics' }).click();
  await expect(page.getByRole('region', { name: 'Stats by agent' }).getByRole('rowheader', { name: 'editor' })).toBeVisible();
  await page.getByRole('tab', { name: 'Cost' }).click();
  await expect(page.getByRole('region', { name: 'Cost by model' })).toContainText('operations/desk-model');
  await page.getByRole('tab', { name: 'Input and output' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('quarter');
  await page.getByRole('tab', { name: 'YAML' }).click();
  await expect(page.getByText('quarterly-report').first()).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Input and output' })).toHaveAttribute('aria-selected', 'true');
});

test('a run is cancelled after the consequence was shown', async ({ page, world }) => {
  await world.run('operations/patient', 'to-cancel', { request: 'Wait.' });
  await world.untilPhase('operations/to-cancel', ['Running']);
  await open(page, world, '/n/operations/tasks/to-cancel?tab=io');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel to-cancel?' });
  await expect(dialog).toContainText('Cancelling is final');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not needed');
  await dialog.getByRole('button', { name: 'Cancel the run' }).click();
  await expect(page.getByRole('region', { name: /Cancelled/ })).toBeVisible();
  // An outcome of its own, not a failure.
  await open(page, world, '/n/operations/tasks?phase=Cancelled');
  await expect(rowOf(page, 'to-cancel')).toContainText('Cancelled');
  await open(page, world, '/n/operations/tasks?phase=Failed');
  await expect(page.getByRole('group', { name: 'States' })).toBeVisible();
  await expect(rowOf(page, 'to-cancel')).toHaveCount(0);
});

test('a run is retried with another input, and compared with the first', async ({ page, world }) => {
  await open(page, world, '/n/operations/tasks/question-3?tab=io');
  await page.getByRole('button', { name: 'Retry with edits' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry question-3 with edits' });
  await expect(dialog.getByRole('textbox', { name: 'Value' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('When are you closed?');
  await expect(dialog.getByRole('status')).toHaveText('1 value differs');
  await dialog.getByRole('button', { name: 'Start the run' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'question-3-retry-1' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'question-3', exact: true })).toBeVisible();
  await world.untilPhase('operations/question-3-retry-1', ['Succeeded']);
  await open(page, world, '/n/operations/compare?left=operations%2Fquestion-3&right=operations%2Fquestion-3-retry-1');
  await expect(page.getByRole('region', { name: 'Differences of the input' })).toContainText('When are you closed?');
  await expect(page.getByText('Same path.')).toBeVisible();
  await page.getByRole('button', { name: 'Swap left and right' }).click();
  await expect(page).toHaveURL(/left=operations%2Fquestion-3-retry-1/);
});

test('a comparison names a changed prompt first, word by word, after one action', async ({ page, world }) => {
  await world.run('operations/service-desk', 'before-change', { request: 'When are you open?' });
  await world.untilPhase('operations/before-change', ['Succeeded']);
  await world.call('PATCH', '/v1/agents/answers?namespace=operations', { spec: { prompt: 'Answer in one short sentence.' } });
  await open(page, world, '/n/operations/tasks/before-change');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run again and compare' }).click();
  await expect(page).toHaveURL(/compare\?left=operations%2Fbefore-change&right=operations%2Fbefore-change-retry-1/);
  const changed = page.getByRole('region', { name: 'What changed' });
  await expect(changed.getByRole('heading', { name: 'Prompt of answers' })).toBeVisible();
  await expect(changed.locator('ins').filter({ hasText: 'short' })).toBeVisible();
  await expect(changed.getByRole('listitem')).toHaveCount(1);
});

test('pages of a system and of an agent list their runs with their success', async ({ page, world }) => {
  await open(page, world, '/n/operations/agent-systems/unreliable?tab=runs');
  const runs = page.getByRole('grid', { name: 'Runs of unreliable' });
  await expect(runs.getByRole('row').filter({ hasText: 'doomed' })).toBeVisible();
  await expect(page.getByText('0%')).toBeVisible();
  await open(page, world, '/n/operations/agents/flaky');
  await page.getByRole('tab', { name: 'Runs' }).click();
  await expect(page.getByRole('grid', { name: 'Runs of flaky' }).getByRole('row').filter({ hasText: 'doomed' })).toBeVisible();
  await page.getByRole('button', { name: 'Run doomed again and compare' }).click();
  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
});

test('several runs are cancelled together, each with its result', async ({ page, world }) => {
  for (const name of ['batch-1', 'batch-2']) await world.run('operations/patient', name, { request: 'Wait.' });
  for (const name of ['batch-1', 'batch-2']) await world.untilPhase(`operations/${name}`, ['Running']);
  await open(page, world, '/n/operations/tasks?q=batch-');
  await page.getByRole('checkbox', { name: 'Select operations/batch-1' }).click();
  await page.getByRole('checkbox', { name: 'Select operations/batch-2' }).click();
  await page.getByRole('toolbar', { name: 'Selected runs' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 2 runs' }).click();
  await expect(page.getByRole('dialog', { name: 'Cancelling runs' })).toContainText('2 of 2 done');
});

test('all templates of the filters are selected beyond the loaded rows, then deleted with a result', async ({ page, emptyWorld }) => {
  // Four deletions at a time: 230 took more than a minute on a machine with 30 other processes.
  test.setTimeout(150_000);
  const templates = Array.from({ length: 230 }, (_, at) =>
    JSON.stringify({
      apiVersion: 'svc.dev/v1',
      kind: 'Task',
      metadata: { name: `template-${at}` },
      spec: { system: 'later', mode: 'template' },
    }),
  );
  await emptyWorld.apply(templates.join('\n---\n'));
  await page.goto(`${emptyWorld.url}/n/default/tasks?mode=templates`);
  await expect(table(page).getByRole('row').nth(3)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).press('Space');
  const bar = page.getByRole('toolbar', { name: 'Selected runs' });
  await bar.getByRole('button', { name: 'Select all 230 matching' }).press('Enter');
  await expect(bar.getByRole('status')).toHaveText('230 selected');
  await expect(bar).toBeFocused();
  await bar.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('textbox', { name: /delete 230/ }).fill('delete 230');
  await page.keyboard.press('Enter');
  const result = page.getByRole('dialog', { name: 'Deleting 230 runs' });
  await expect(result).toContainText('230 of 230 done', { timeout: 100_000 });
  await result.getByText('Close', { exact: true }).click();
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'No templates' })).toBeVisible();
});

test('run page distinguishes an absent run from one deleted while open', async ({ page, world, signals }) => {
  signals.allow(/404/);
  await open(page, world, '/n/operations/tasks/nobody-made-this');
  await expect(page.getByRole('heading', { name: 'There is no run nobody-made-this in operations' })).toBeVisible();
  await world.run('operations/unreliable', 'to-delete', { request: 'x' });
  await world.untilPhase('operations/to-delete', ['DeadLetter', 'Failed']);
  await open(page, world, '/n/operations/tasks/to-delete?tab=io');
  await expect(page.getByRole('heading', { level: 1, name: 'to-delete' })).toBeVisible();
  await world.call('DELETE', '/v1/tasks/to-delete?namespace=operations');
  await expect(page.getByText('This run was deleted while it was open.')).toBeVisible();
});

test('the two runs of a comparison are named in full on a phone', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, world, '/n/operations/compare?left=operations%2Fcheckout-outage&right=operations%2Finvoice-cleanup');
  for (const [label, name] of [
    ['Left run', 'checkout-outage'],
    ['Right run', 'invoice-cleanup'],
  ] as const) {
    const picker = page.getByRole('combobox', { name: label });
    await expect(picker).toHaveValue(name);
    await expect.poll(() => picker.evaluate((field) => field.scrollWidth <= field.clientWidth)).toBe(true);
  }
  await page.getByRole('button', { name: 'Swap left and right' }).click();
  await expect(page.getByRole('combobox', { name: 'Left run' })).toHaveValue('invoice-cleanup');
  await page.getByRole('combobox', { name: 'Left run' }).fill('question-1');
  await page.getByRole('option', { name: /question-1/ }).click();
  await expect(page).toHaveURL(/left=operations%2Fquestion-1&/);
  await expectNoBarriers(page, { picture: 'compare-narrow', include: '#main' });
});

test('the columns shown at first fit beside the navigation, with ages as with dates', async ({ page, world }) => {
  for (const times of ['UTC', 'Relative']) {
    await open(page, world, '/n/operations/settings');
    await page.getByRole('radio', { name: times }).click();
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await open(page, world, '/n/operations/tasks');
      await expect(rowOf(page, 'doomed').first()).toBeVisible();
      const beyond = (part: Locator) => () => part.evaluate((box) => box.scrollWidth - box.clientWidth);
      await expect.poll(beyond(table(page)), `${times} ${width}`).toBe(0);
      const name = table(page).getByRole('link', { name: 'checkout-outage', exact: true });
      await expect.poll(beyond(name), `name, ${times} ${width}`).toBe(0);
    }
  }
});

test('a new state of an open run is announced', async ({ page, world }) => {
  await world.run('operations/patient', 'heard', { request: 'Wait.' });
  await world.untilPhase('operations/heard', ['Running']);
  await page.goto(`${world.url}/n/operations/tasks/heard`);
  await expect(page.getByRole('main').getByText('Running').first()).toBeVisible();
  await world.call('POST', '/v1/tasks/heard/cancel?namespace=operations');
  await expect(page.locator('[role="status"][aria-atomic]').filter({ hasText: 'State of the run: Cancelled' })).toHaveCount(1);
});
