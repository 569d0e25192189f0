// The resource explorer: lists, objects, creating, importing, secrets, deleting.
import { readFile } from 'node:fs/promises';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';
import { replaceText } from './replace-text.ts';

const at = (url: string, path: string) => `${url}/n/operations/${path}`;

test('a filtered list keeps its filters in the address', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents'));
  const list = page.getByRole('grid', { name: 'Agents' });
  await expect(list.getByRole('row', { name: /billing/ })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: /^\d+ agents$/ })).toBeVisible();
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('LLIN');
  await expect(page).toHaveURL(/q=LLIN/);
  await expect(list.getByRole('row', { name: /answers/ })).toHaveCount(0);
  await page.reload();
  await expect(list.getByRole('row', { name: /billing/ })).toBeVisible();
  await expect(list.getByRole('row', { name: /answers/ })).toHaveCount(0);
  await expect(page.getByText('1 of 10 match')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('no-such-agent');
  await expect(page.getByRole('heading', { name: 'No agents match these filters' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(list.getByRole('row', { name: /answers/ })).toBeVisible();
});

test('the palette copies the object of the page as commands', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(at(world.url, 'agents/billing'));
  await expect(page.getByRole('heading', { level: 1, name: 'billing' })).toBeVisible();
  for (const [wanted, text] of [
    ['as svcctl', 'npx svcctl -n operations get agents billing -o yaml'],
    ['as curl', '/v1/agents/billing?namespace=operations'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(`copy billing ${wanted}`);
    // The search for runs repeats the typed text in its name.
    await page.getByRole('option', { name: `Copy billing ${wanted}`, exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(text);
  }
});

test('filters are saved as a view, restored by its name, and removed again', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents?labels=team%3Dfinance'));
  const list = page.getByRole('grid', { name: 'Agents' });
  await page.getByRole('button', { name: 'Own filters' }).click();
  await page.getByRole('textbox', { name: 'Save filters as' }).fill('Finance');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Finance', exact: true }).first()).toBeVisible();
  await page.getByRole('button', { name: 'All agents' }).click();
  await expect(page).not.toHaveURL(/labels/);
  await expect(list.getByRole('row', { name: /answers/ })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'All agents' }).click();
  await page.getByRole('button', { name: 'Finance', exact: true }).click();
  await expect(page).toHaveURL(/labels=team/);
  await expect(list.getByRole('row', { name: /answers/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Finance', exact: true }).click();
  await page.getByRole('button', { name: 'Delete the view Finance' }).click();
  await expect(page.getByRole('button', { name: 'Own filters' })).toBeVisible();
});

test('a view that is saved before the settings have arrived leaves the stored views in place', async ({ page, world }) => {
  const view = (name: string, labels: readonly string[]) => ({ name, filters: { labels } });
  await world.call('POST', '/trpc/preferences.set', { 'tables.agents.views': [view('Stored', ['team=sales'])] });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/preferences\.get/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(at(world.url, 'agents?labels=team%3Dfinance'));
  await page.getByRole('button', { name: 'Own filters' }).click();
  await page.getByRole('textbox', { name: 'Save filters as' }).fill('Early');
  await page.getByRole('button', { name: 'Save' }).click();
  release();
  const views = page.getByRole('dialog', { name: 'Views' });
  for (const name of ['Stored', 'Early']) await expect(views.getByRole('button', { name, exact: true })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Early', exact: true }).click();
  for (const name of ['Stored', 'Early']) {
    await views.getByRole('button', { name: `Delete the view ${name}` }).click();
    await expect(views.getByRole('button', { name, exact: true })).toHaveCount(0);
  }
});

test('rows are walked, selected and opened by keyboard', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents'));
  const list = page.getByRole('grid', { name: 'Agents' });
  await list.getByRole('row', { name: /answers/ }).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByRole('toolbar', { name: 'Selected objects' })).toContainText('3 agents selected');
  await page.keyboard.press('m');
  await expect(page.getByRole('menuitem', { name: 'Duplicate…' })).toBeVisible();
  await page.keyboard.press('Escape');
  await list.getByRole('row', { name: /collector/ }).focus();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'billing' })).toBeVisible();
});

test('the page of an object shows its fields, its references and its events', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents/billing'));
  await expect(page.getByRole('heading', { level: 1, name: 'billing' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Specification' }).getByRole('link', { name: 'invoice-delete' })).toBeVisible();
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('tab', { name: 'Relations' }).click();
  await expect(page).toHaveURL(/tab=relations/);
  await expect(page.getByRole('region', { name: 'Agent systems' }).getByRole('link', { name: 'service-desk' })).toBeVisible();
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('tab', { name: 'Events' }).click();
  await expect(page.getByRole('list', { name: 'Events' })).toContainText('was created');
  await page.goBack();
  await expect(page.getByRole('tab', { name: 'Relations' })).toHaveAttribute('aria-selected', 'true');
});

test('labels change on several objects, each with its result', async ({ page, world }) => {
  await page.goto(at(world.url, 'tools'));
  await page.getByRole('checkbox', { name: 'Select ledger-search' }).click();
  await page.getByRole('checkbox', { name: 'Select service-restart' }).click();
  await page.getByRole('button', { name: 'Edit labels' }).click();
  await page.getByRole('textbox', { name: 'Add a label' }).fill('reviewed=yes');
  await page.getByRole('button', { name: 'Change labels' }).click();
  await expect(page.getByRole('dialog')).toContainText('2 of 2 done');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.goto(at(world.url, 'tools?labels=reviewed%3Dyes'));
  await expect(page.getByRole('status').filter({ hasText: '2 tools' })).toBeVisible();
});

test('an object is created from a template, a taken name is explained, and a deletion names its consequence', async ({
  page,
  world,
  signals,
}) => {
  signals.allow(/409/);
  await page.goto(at(world.url, 'new/agent-roles'));
  await page.getByRole('button', { name: /^Minimal/ }).click();
  await expect(page.getByRole('textbox', { name: 'YAML of the new agent role' })).toContainText('my-agent-role');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'my-agent-role' })).toBeVisible();
  await page.goto(at(world.url, 'new/agent-roles?template=minimal'));
  await page.getByRole('textbox', { name: 'Name' }).press('ControlOrMeta+Enter');
  await expect(page.getByText(/There is an agent role operations\/my-agent-role already/)).toBeVisible();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Not used');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL(/\/n\/operations\/agent-roles$/);
});

test('a draft of a new object is offered after the page was left', async ({ page, world }) => {
  const editor = page.getByRole('textbox', { name: 'YAML of the new agent role' });
  await page.goto(at(world.url, 'new/agent-roles?template=minimal'));
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# not to be lost');
  await expect(page.getByText('Kept as a draft on this machine')).toBeVisible();
  await page.getByRole('link', { name: 'Agent roles' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Agent roles' })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(editor).toContainText('# not to be lost');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'my-agent-role' })).toBeVisible();
  await page.goto(at(world.url, 'new/agent-roles?template=minimal'));
  await expect(editor).toContainText('my-agent-role');
  await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0);
});

test('missing references of a new object or an import are listed before the write', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/new/agents?template=approval.refund-clerk`);
  await expect(page.getByText(/names ModelEndpoint default\/refund-model, which does not exist/).first()).toBeVisible();
  await page.goto(`${emptyWorld.url}/n/default/import?sample=approval`);
  await expect(page.getByRole('button', { name: 'Apply 6 documents' })).not.toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText(/Missing reference/)).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Include ModelEndpoint refund-model' }).click();
  await expect(page.getByText('Missing reference: ModelEndpoint default/refund-model.')).toBeVisible();
});

test('an export holds the filtered objects, the search by name included', async ({ page, world, saves }) => {
  await page.goto(at(world.url, 'agents?q=bil'));
  await expect(page.getByRole('grid', { name: 'Agents' }).getByRole('row', { name: /billing/ })).toBeVisible();
  const file = await saves(() => page.getByRole('button', { name: 'Export matches as YAML' }).click());
  const text = await readFile(file.path, 'utf8');
  expect(text.match(/^ {2}name: .*/gm)).toEqual(['  name: billing']);
});

test('a label outside the selector syntax is shown without a link', async ({ page, world }) => {
  await world.apply(
    'kind: AgentRole\nmetadata: { name: noted, namespace: operations, labels: { note: hello world, team: x } }\nspec: {}\n',
  );
  await page.goto(at(world.url, 'agent-roles'));
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Labels' }).click();
  await page.keyboard.press('Escape');
  const row = page.getByRole('grid', { name: 'Agent roles' }).getByRole('row', { name: /noted/ });
  await expect(row.getByText('note=hello world')).toBeVisible();
  await expect(row.getByTitle('Only objects with team=x')).toBeVisible();
  await expect(row.getByTitle(/Only objects with note/)).toHaveCount(0);
});

test('an invalid selector in an address is explained, and removed with one press', async ({ page, world, signals }) => {
  signals.allow(/400/);
  await page.goto(at(world.url, 'agents?labels=team%20in%20(finance'));
  await expect(page.getByRole('heading', { name: 'These filters are not valid' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('grid', { name: 'Agents' }).getByRole('row', { name: /billing/ })).toBeVisible();
});

test('objects that refer to an object are listed before it is deleted', async ({ page, world }) => {
  await page.goto(at(world.url, 'model-endpoints/desk-model'));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText(/Used by \d+ agents, which will not work without it/);
  await page.getByRole('button', { name: 'Keep' }).click();
});

test('a change prepared for an object is not applied to its successor of the same name', async ({ page, world, signals }) => {
  signals.allow(/404|409/);
  const body = 'kind: AgentRole\nmetadata: { name: twice, namespace: operations }\nspec: { permissions: [notes] }\n';
  await world.apply(body, 'operations');
  await page.goto(at(world.url, 'agent-roles'));
  await page.getByRole('row', { name: /twice/ }).focus();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog')).toContainText('Not used');
  await world.call('DELETE', '/v1/agent-roles/twice?namespace=operations');
  await world.apply(body, 'operations');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('was deleted and recreated meanwhile');
  await page.getByRole('link', { name: 'Open the new one' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'twice' })).toBeVisible();
  await expect(page.getByRole('tabpanel')).toContainText('notes');
  await world.call('DELETE', '/v1/agent-roles/twice?namespace=operations');
  await world.apply(body, 'operations');
  await expect(page.getByText(/twice was deleted and created again .*This is the new one/)).toBeVisible();
  await page.getByRole('button', { name: 'Understood' }).click();
  await expect(page.getByText('This is the new one')).toHaveCount(0);
});

test('an object deleted elsewhere stays readable and can be created again', async ({ page, world, signals }) => {
  signals.allow(/404/);
  await world.apply('kind: AgentRole\nmetadata: { name: fleeting, namespace: operations }\nspec: { permissions: [notes] }\n', 'operations');
  await page.goto(at(world.url, 'agent-roles/fleeting'));
  await expect(page.getByRole('tabpanel')).toContainText('notes');
  await page.waitForLoadState('networkidle');
  await world.call('DELETE', '/v1/agent-roles/fleeting?namespace=operations');
  await expect(page.getByText('fleeting was deleted. The last known version is shown.')).toBeVisible();
  // The stream reports the deletion, so the page requests nothing about the deleted object.
  expect(signals.faults).toEqual([]);
  await page.getByRole('button', { name: 'Recreate' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'fleeting' })).toBeVisible();
  await page.goto(at(world.url, 'new/agent-roles?lost=operations%2Fforgotten'));
  await expect(
    page.getByText('The last known version of operations/forgotten no longer exists. Choose another starting point.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /^Minimal/ })).toBeVisible();
  await page.goto(at(world.url, 'agent-roles/never-was'));
  await expect(page.getByRole('heading', { name: 'There is no agent role never-was' })).toBeVisible();
});

test('the value of a Secret is set and never shown', async ({ page, world }) => {
  await page.goto(at(world.url, 'secrets/erp-token'));
  await page.getByRole('button', { name: 'Set a value' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('api-key');
  await page.getByLabel('Value', { exact: false }).last().fill('hunter2-never-shown');
  await page.getByRole('dialog').getByRole('button', { name: 'Set the value' }).click();
  await expect(page.getByRole('button', { name: 'Remove api-key' })).toBeVisible();
  expect(await page.content()).not.toContain('hunter2-never-shown');
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('button', { name: 'Remove api-key' }).click();
  await page.getByRole('button', { name: 'Remove the key' }).click();
  await expect(page.getByRole('button', { name: 'Remove api-key' })).toHaveCount(0);
});

const DOCUMENTS = `kind: AgentRole
metadata: { name: imported-notes }
spec: { permissions: [notes] }
---
kind: Secret
metadata: { name: imported-secret }
spec: { stringData: { value: do-not-show-me } }
---
kind: Agent
metadata: { name: imported-agent }
spec:
  model_ref: desk-model
  promt: a typing mistake
`;

test('documents are checked first, then applied in one transaction', async ({ page, world, signals }) => {
  signals.allow(/400/);
  await page.goto(at(world.url, 'import'));
  await page
    .getByLabel('Files to import')
    .setInputFiles({ name: 'team.yaml', mimeType: 'application/yaml', buffer: Buffer.from(DOCUMENTS) });
  await expect(page.getByText(/Line 13:.*promt/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Apply 3 documents' })).toHaveAttribute('aria-disabled', 'true');
  expect(await page.content()).not.toContain('do-not-show-me');
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('checkbox', { name: 'Include Agent imported-agent' }).click();
  await page.getByRole('button', { name: 'Apply 2 documents' }).click();
  await expect(page.getByText('All 2 documents were applied, in one transaction.')).toBeVisible();
  await page.getByRole('link', { name: 'imported-notes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'imported-notes' })).toBeVisible();
});

test('a faulty document is edited in the import, and the result leads to the imported system', async ({ page, world, signals }) => {
  signals.allow(/400/);
  await page.goto(at(world.url, 'import'));
  const text = `kind: Agent
metadata: { name: mended-agent }
spec: { model_ref: desk-model, promt: Answer briefly. }
---
kind: AgentSystem
metadata: { name: mended-system }
spec: { agents: [mended-agent] }
`;
  await page.getByRole('button', { name: 'Paste text' }).click();
  const field = page.getByRole('textbox', { name: 'Documents' });
  await expect.poll(async () => (await field.boundingBox())?.height).toBeGreaterThan(400);
  await field.fill(text);
  await field.press('ControlOrMeta+Enter');
  await expect(page.getByText(/Line 3:.*promt/)).toBeVisible();
  await page.getByRole('button', { name: 'Edit Agent mended-agent' }).click();
  const editor = page.getByRole('textbox', { name: 'Text of Agent mended-agent' });
  await expect(editor).toContainText('promt');
  await expectNoBarriers(page, { include: '#main' });
  await replaceText(editor, 'kind: Agent\nmetadata: { name: mended-agent }\nspec: { model_ref: desk-model, prompt: Answer briefly. }');
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByText(/promt/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Apply 2 documents' }).click();
  await page.getByRole('link', { name: 'Open the system' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'mended-system' })).toBeVisible();
});

test('faulty documents are excluded at once, and too many are refused before the check', async ({ page, world, signals }) => {
  signals.allow(/400|409/);
  await page.goto(at(world.url, 'import'));
  const files = page.getByLabel('Files to import');
  const role = (name: string, spec = '{}') => `kind: AgentRole\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  const text = [role('good'), role('bad-1', '{ x: 1 }'), role('bad-2', '{ x: 1 }'), role('good')].join('---\n');
  await files.setInputFiles({ name: 'some.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
  await expect(page.getByText('which some.yaml, line 1, already defines')).toBeVisible();
  await page.getByRole('button', { name: 'Leave out the 3 with problems' }).click();
  await expect(page.getByRole('button', { name: 'Apply one document' })).not.toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Start over' }).click();
  const many = Array.from({ length: 1001 }, (_, index) => role(`many-${index}`)).join('---\n');
  await files.setInputFiles({ name: 'many.yaml', mimeType: 'application/yaml', buffer: Buffer.from(many) });
  await expect(page.getByText(/These are 1,001 documents, and one import accepts at most 1,000/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Apply 1001 documents' })).toHaveAttribute('aria-disabled', 'true');
});

test('an import does not overwrite a change made after the review', async ({ page, world, signals }) => {
  signals.allow(/409/);
  const role = (name: string, description: string) =>
    `kind: AgentRole\nmetadata: { name: ${name}, namespace: operations }\nspec: { description: ${description} }\n`;
  await world.apply(role('clerk', 'first'));
  await page.goto(at(world.url, 'import'));
  const text = `${role('clerk', 'imported')}---\n${role('porter', 'imported')}---\n${role('guard', 'imported')}`;
  await page.getByLabel('Files to import').setInputFiles({ name: 'roles.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
  const documents = page.getByRole('list', { name: 'Documents' });
  const apply = page.getByRole('button', { name: 'Apply 3 documents' });
  await expect(apply).not.toHaveAttribute('aria-disabled', 'true');
  await world.apply(`${role('clerk', 'theirs')}---\n${role('porter', 'theirs')}`);
  await apply.click();
  await expect(page.getByText('Nothing was applied: 2 objects changed after your review.')).toBeVisible();
  await expect(documents.getByText('changed meanwhile')).toHaveCount(2);
  await expect(documents.getByRole('listitem').filter({ hasText: 'porter' })).toContainText('change');
  const { spec } = (await world.call('GET', '/v1/agent-roles/clerk?namespace=operations')) as { spec: { description: string } };
  expect(spec.description).toBe('theirs');
  await documents.getByRole('button', { name: /^clerk/ }).click();
  await expect(documents.getByText(/theirs/).first()).toBeVisible();
  await apply.click();
  await expect(page.getByText('All 3 documents were applied, in one transaction.')).toBeVisible();
});

test('an empty list offers a way to begin', async ({ page, emptyWorld }) => {
  await page.goto(`${emptyWorld.url}/n/default/agents`);
  await expect(page.getByRole('heading', { name: 'No agents yet' })).toBeVisible();
  await expectNoBarriers(page, { include: '#main' });
  await page.getByRole('link', { name: 'Open' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Import' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Apply \d+ documents$/ })).not.toHaveAttribute('aria-disabled', 'true');
});

test('the form and the YAML of a new object edit one text, comments included', async ({ page, world, signals }) => {
  signals.allow(/40|42/);
  await page.goto(at(world.url, 'new/agent-roles?template=minimal'));
  const yaml = page.getByRole('textbox', { name: 'YAML of the new agent role' });
  await expect(yaml).toContainText('my-agent-role');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('not formed');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText(/^Not created/)).toBeVisible();
  await name.fill('formed');
  await expect(page.getByText(/^Not created/)).toBeHidden();
  await expect(page.getByRole('region', { name: 'Labels' })).not.toContainText('*');
  await expect(yaml).toContainText('name: formed');
  await page.getByRole('textbox', { name: 'description' }).fill('Made by a form');
  await expect(yaml).toContainText('Made by a form');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/agent-roles\/formed/);
});

test('column headers sort any list on the server, and lists of agents and systems by their usage', async ({ page, world }) => {
  await page.goto(at(world.url, 'agents'));
  const list = page.getByRole('grid', { name: 'Agents' });
  const head = (title: string) => list.getByRole('columnheader', { name: title, exact: true });
  const first = list.getByRole('row').nth(1);
  await head('Tools').getByRole('button').click();
  await expect(page).toHaveURL(/sort=spec\.tools/);
  await head('Tools').getByRole('button').click();
  await expect(head('Tools')).toHaveAttribute('aria-sort', 'descending');
  await expect(first).toContainText('incident');
  await page.reload();
  await expect(first).toContainText('incident');
  await head('Runs, 30 d').getByRole('button').click();
  await expect(page).toHaveURL(/sort=-runs/);
  await expect(head('Runs, 30 d')).toHaveAttribute('aria-sort', 'descending');
  await expect(first.getByRole('gridcell', { name: '9', exact: true })).toBeVisible();
  await head('Success').getByRole('button').click();
  await expect(first).toContainText('100%');
  await page.getByRole('searchbox', { name: 'Name contains' }).fill('s');
  await expect(head('Tools').getByRole('button')).toHaveCount(0);
});
