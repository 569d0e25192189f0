// Building on the canvas: agents, a model and a tool drafted, applied as one, run, read, and undone as one.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { countEffort } from './effort.ts';
import { expect, test } from './fixtures.ts';
import { replaceText } from './replace-text.ts';

/** The designer is a chunk of its own, which a busy machine serves slowly. */
const FIRST_LOOK_MS = 30_000;
/** Goal of the walk: three agents with a tool and a model, from the list of systems to a read answer. */
const CLICKS_MAX = 12;

const agent = (page: Page, name: string) => page.locator('.react-flow__node').filter({ hasText: name });
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

test.use({ baseURL: async ({ emptyWorld }, use) => use(emptyWorld.url) });

async function newSystem(page: Page, name: string): Promise<void> {
  await page.goto('/n/default/new/agent-systems');
  await page.getByRole('textbox', { name: 'Name' }).fill(name, { timeout: FIRST_LOOK_MS });
}

async function makeAgents(page: Page, names: string): Promise<void> {
  await page.getByRole('button', { name: 'Add agent' }).click();
  await page.getByRole('combobox', { name: 'Agent' }).fill(names);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('three agents with a tool and a model reach a read answer within 12 clicks and without YAML', async ({ page, emptyWorld }) => {
  // Two first looks, and four screens inspected in both themes.
  test.setTimeout(120_000);
  const effort = await countEffort(page);
  await page.goto('/n/default/agent-systems');
  await page
    .getByRole('link', { name: /^Create/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Name' }).fill('newsroom', { timeout: FIRST_LOOK_MS });
  await makeAgents(page, 'planner, research, writer');
  await expectNoBarriers(page, { picture: '1-agents' });
  await inspector(page).getByRole('button', { name: 'Create a model' }).click();
  await page.getByRole('button', { name: /^Mock/ }).click();
  await expectNoBarriers(page, { picture: '2-model' });
  await page.getByRole('button', { name: 'Use this model' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await inspector(page).getByRole('textbox', { name: 'Prompt' }).fill('Plan an article about the topic in three points.');
  await inspector(page).getByRole('button', { name: 'Add tool' }).click();
  await page.getByRole('button', { name: /^Command/ }).click();
  await page.keyboard.type('echo "{{ .query }}"');
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByText('Allowed')).toBeVisible();
  await expectNoBarriers(page, { picture: '3-agent' });
  await agent(page, 'research').click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Find one fact for each point.');
  await agent(page, 'writer').click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Write the article.');
  await page.getByRole('button', { name: 'Run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run newsroom' });
  await expect(dialog).toContainText('This first applies the system, with 1 model, 1 tool and 3 agents');
  await dialog.getByRole('textbox', { name: 'Value of request' }).fill('Tides');
  await dialog.getByRole('button', { name: 'Apply and run' }).click();
  const results = page.getByRole('region', { name: 'Results of the run' });
  await expect(results).toContainText('writer received', { timeout: FIRST_LOOK_MS });
  expect((await effort()).clicks).toBeLessThanOrEqual(CLICKS_MAX);
  await expectNoBarriers(page, { picture: '4-answer' });
  await results.getByRole('button', { name: 'research' }).click();
  await expect(results).toContainText('From planner');
  await expect(results).toContainText(/\d+ tokens/);
  const made = (await emptyWorld.call('GET', '/v1/agents/research')) as { spec: { prompt: string; model_ref: string } };
  expect(made.spec).toMatchObject({ prompt: 'Find one fact for each point.', model_ref: 'mock' });
  await page.getByRole('button', { name: 'Undo all' }).click();
  await expect(page.getByText('Undone: everything is as it was before')).toBeVisible();
  await expect(emptyWorld.call('GET', '/v1/agents/research')).rejects.toThrow('404');
  await expect(emptyWorld.call('GET', '/v1/agent-systems/newsroom')).rejects.toThrow('404');
});

test('a drafted step is undone with the agents that it made, and a draft survives a reload', async ({ page }) => {
  await newSystem(page, 'kept');
  await makeAgents(page, 'one, two');
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('2 errors');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.react-flow__node')).toHaveCount(0);
  await page.getByRole('button', { name: 'Redo' }).click();
  await agent(page, 'one').click();
  await inspector(page).getByRole('textbox', { name: 'Prompt' }).fill('Remember me.');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Restore' }).click({ timeout: FIRST_LOOK_MS });
  await agent(page, 'one').click();
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toHaveValue('Remember me.');
  await inspector(page).getByRole('radio', { name: 'YAML' }).click();
  await expect(page.getByRole('textbox', { name: 'YAML of Agent default/one' })).toContainText('Remember me.');
});

test('a new agent and a click on one leave the keyboard with the canvas', async ({ page }) => {
  await newSystem(page, 'keys');
  await makeAgents(page, 'one, two, three');
  await expect(agent(page, 'one')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(agent(page, 'two')).toBeFocused();
  await agent(page, 'three').click();
  await expect(inspector(page).getByRole('heading', { name: 'three' })).toBeVisible();
  await page.keyboard.press('Delete');
  await expect(agent(page, 'three')).toHaveCount(0);
  await agent(page, 'two').dblclick();
  await page.keyboard.type('Second.');
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toHaveValue('Second.');
});

test('Tab leads on from a model as soon as its dialog has closed', async ({ page }) => {
  await newSystem(page, 'tabbed');
  await makeAgents(page, 'asker');
  await inspector(page).getByRole('button', { name: 'Create a model' }).click();
  await page.getByRole('button', { name: /^Mock/ }).click();
  await page.getByRole('button', { name: 'Use this model' }).press('Enter');
  await expect(inspector(page)).toBeFocused();
  await inspector(page).getByRole('combobox', { name: 'Model' }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tooltip', { name: 'Test connection' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toBeFocused();
});

test('a dialog keeps what was typed when the window becomes narrow', async ({ page }) => {
  await newSystem(page, 'turned');
  await makeAgents(page, 'asker');
  await inspector(page).getByRole('button', { name: 'Create a model' }).click();
  const dialog = page.getByRole('dialog', { name: 'New model' });
  await dialog.getByRole('button', { name: /^OpenAI compatible/ }).click();
  await dialog.getByRole('textbox', { name: /^Model/ }).fill('m1');
  for (const width of [700, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(page.locator('[aria-label="Width of the inspector"]')).toHaveCount(width < 768 ? 0 : 1);
    await expect(dialog.getByRole('textbox', { name: /^Model/ })).toHaveValue('m1');
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await inspector(page).getByRole('textbox', { name: 'Prompt' }).fill('Ask.');
  await page.setViewportSize({ width: 700, height: 900 });
  await expect(inspector(page).getByRole('textbox', { name: 'Prompt' })).toHaveValue('Ask.');
});

test('a model that does not answer is reported in a plain sentence, and its key reaches no draft', async ({ page, emptyWorld }) => {
  await newSystem(page, 'silent');
  await makeAgents(page, 'asker');
  await inspector(page).getByRole('button', { name: 'Create a model' }).click();
  const dialog = page.getByRole('dialog', { name: 'New model' });
  await dialog.getByRole('button', { name: /^OpenAI compatible/ }).click();
  await dialog.getByRole('textbox', { name: /^Model/ }).fill('m1');
  await dialog.getByRole('textbox', { name: /^Address/ }).fill('http://169.254.169.254/v1');
  await dialog.getByLabel(/^API key/).fill('sk-never-kept');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect(dialog.getByText('The server may not connect to this address.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Use this model' }).click();
  await page.getByRole('button', { name: 'Review and create' }).click();
  const review = page.getByRole('dialog', { name: 'Apply 4 objects as one' });
  await review.getByRole('button', { name: /m1-key/ }).click();
  await expect(review).toContainText('One value is set; none is shown.');
  const kept = await page.evaluate(async () => {
    const open = indexedDB.open('console-drafts');
    await new Promise((resolve) => (open.onsuccess = resolve));
    const all = open.result.transaction('drafts').objectStore('drafts').getAll();
    await new Promise((resolve) => (all.onsuccess = resolve));
    return JSON.stringify(all.result);
  });
  expect(kept).toContain('asker');
  expect(kept).not.toContain('sk-never-kept');
  await review.getByRole('button', { name: 'Apply all' }).click();
  await expect(page).toHaveURL(/agent-systems\/silent/);
  const secret = JSON.stringify(await emptyWorld.call('GET', '/v1/secrets/m1-key'));
  expect(secret).toContain('m1-key');
  expect(secret).not.toContain('sk-never-kept');
});

test('an agent changed by others meanwhile is merged before anything is written', async ({ page, emptyWorld, signals }) => {
  signals.allow(/409/);
  const version = (prompt: string) =>
    `kind: ModelEndpoint\nmetadata: { name: m }\nspec: { provider: mock }\n---\nkind: Agent\nmetadata: { name: shared }\nspec: { model_ref: m, prompt: ${prompt}, limits: { max_steps: 3 } }\n---\nkind: AgentSystem\nmetadata: { name: duo }\nspec: { agents: [shared] }\n`;
  await emptyWorld.apply(version('first'));
  await page.goto('/n/default/agent-systems/duo?item=shared');
  const prompt = inspector(page).getByRole('textbox', { name: 'Prompt' });
  await expect(prompt).toHaveValue('first', { timeout: FIRST_LOOK_MS });
  await prompt.fill('mine');
  await emptyWorld.apply(version('first').replace('max_steps: 3', 'max_steps: 5'));
  await expect(inspector(page).getByText('Changed meanwhile')).toBeVisible();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const review = page.getByRole('dialog', { name: 'Apply 1 object' });
  await expect(review.getByText('Changed meanwhile')).toBeVisible();
  await review.getByRole('button', { name: /merged/i }).click();
  await review.getByRole('button', { name: 'Apply all' }).click();
  await expect(page.getByText('1 object applied as one')).toBeVisible();
  const stored = (await emptyWorld.call('GET', '/v1/agents/shared')) as { spec: object };
  expect(stored.spec).toMatchObject({ prompt: 'mine', limits: { max_steps: 5 } });
});

test('an agent that others deleted, or that got another name, is marked before the review', async ({ page, emptyWorld, signals }) => {
  signals.allow(/404|409/);
  await emptyWorld.apply(
    'kind: ModelEndpoint\nmetadata: { name: m }\nspec: { provider: mock }\n---\nkind: Agent\nmetadata: { name: short-lived }\nspec: { model_ref: m, prompt: first }\n---\nkind: AgentSystem\nmetadata: { name: solo }\nspec: { agents: [short-lived] }\n',
  );
  await page.goto('/n/default/agent-systems/solo?item=short-lived');
  await inspector(page).getByRole('textbox', { name: 'Prompt' }).fill('mine', { timeout: FIRST_LOOK_MS });
  await inspector(page).getByRole('radio', { name: 'YAML' }).click();
  await replaceText(
    page.getByRole('textbox', { name: 'YAML of Agent default/short-lived' }),
    'apiVersion: svc.dev/v1\nkind: Agent\nmetadata: { name: other, namespace: default }\nspec: { model_ref: m, prompt: mine }\n',
  );
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('short-lived: metadata.name must stay short-lived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('region', { name: 'Problems' })).not.toContainText('must stay');
  await emptyWorld.call('DELETE', '/v1/agents/short-lived');
  await expect(inspector(page).getByText('Deleted meanwhile')).toBeVisible();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const review = page.getByRole('dialog', { name: 'Apply 1 object' });
  await review.getByRole('button', { name: 'Create it again' }).click();
  await review.getByRole('button', { name: 'Apply all' }).click();
  await expect(page.getByText('1 object applied as one')).toBeVisible();
  expect(await emptyWorld.call('GET', '/v1/agents/short-lived')).toMatchObject({ spec: { prompt: 'mine' } });
});

test('a system and an agent that others changed are merged in one review', async ({ page, emptyWorld, signals }) => {
  signals.allow(/409/);
  await emptyWorld.apply(
    'kind: Agent\nmetadata: { name: x }\nspec: { model_ref: m, prompt: first }\n---\nkind: AgentSystem\nmetadata: { name: both }\nspec: { agents: [x] }\n',
  );
  await page.goto('/n/default/agent-systems/both?item=x');
  const prompt = inspector(page).getByRole('textbox', { name: 'Prompt' });
  await expect(prompt).toHaveValue('first', { timeout: FIRST_LOOK_MS });
  await prompt.fill('mine');
  await makeAgents(page, 'y');
  const labels = { labels: { team: 'other' } };
  await emptyWorld.call('PATCH', '/v1/agents/x', { metadata: labels });
  await emptyWorld.call('PATCH', '/v1/agent-systems/both', { metadata: labels });
  await expect(page.getByText('Somebody else changed this object')).toBeVisible();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const review = page.getByRole('dialog', { name: 'Apply 3 objects as one' });
  await expect(review.getByText('Changed meanwhile')).toHaveCount(2);
  await review.getByRole('button', { name: 'Use the merged version' }).click();
  await expect(review.getByText('Changed meanwhile')).toHaveCount(1);
  await review.getByRole('button', { name: 'Use the merged version' }).click();
  await review.getByRole('button', { name: 'Apply all' }).click();
  await expect(page.getByText('3 objects applied as one')).toBeVisible();
  expect(await emptyWorld.call('GET', '/v1/agents/x')).toMatchObject({ metadata: labels, spec: { prompt: 'mine' } });
  expect(await emptyWorld.call('GET', '/v1/agent-systems/both')).toMatchObject({ metadata: labels, spec: { agents: ['x', 'y'] } });
});

test('an input is saved as a case, recalled from it, and run again by one key', async ({ page, emptyWorld }) => {
  await emptyWorld.apply(
    'kind: ModelEndpoint\nmetadata: { name: m }\nspec: { provider: mock }\n---\nkind: Agent\nmetadata: { name: echo }\nspec: { model_ref: m }\n---\nkind: AgentSystem\nmetadata: { name: echoes }\nspec: { agents: [echo] }\n',
  );
  await page.goto('/n/default/agent-systems/echoes');
  await expect(agent(page, 'echo')).toBeVisible({ timeout: FIRST_LOOK_MS });
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: 'Run echoes' });
  await expect(dialog.getByRole('textbox', { name: 'Value of request' })).toBeFocused();
  await page.keyboard.type('first words');
  await dialog.getByRole('button', { name: 'Key', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Key 2', exact: true }).fill('request');
  await expect(dialog.getByRole('alert')).toHaveText('Rename one of the two keys request');
  await expect(dialog.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Remove request' }).last().click();
  await dialog.getByRole('button', { name: 'Save as a case' }).click();
  await page.keyboard.type('greeting');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Case greeting saved')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Value of request' }).fill('other words');
  await dialog.getByRole('combobox', { name: 'Case, or input of an earlier run' }).selectOption('greeting');
  await expect(dialog.getByRole('textbox', { name: 'Value of request' })).toHaveValue('first words');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  const results = page.getByRole('region', { name: 'Results of the run' });
  await expect(results).toContainText('echo received: request: first words', { timeout: FIRST_LOOK_MS });
  await expect(results).toContainText(/\d+ tokens/);
  const first = new URL(page.url()).searchParams.get('run');
  await page.keyboard.press('r');
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).not.toBe(first);
  await expect(results).toContainText('echo received: request: first words');
});

test('a note and a group are kept in the YAML apart from the spec, and undone', async ({ page, emptyWorld }) => {
  await emptyWorld.apply('kind: AgentSystem\nmetadata: { name: annotated }\nspec: { agents: [one] } # stays\n');
  await page.goto('/n/default/agent-systems/annotated?code=true');
  await expect(agent(page, 'one')).toBeVisible({ timeout: FIRST_LOOK_MS });
  const yaml = page.getByRole('textbox', { name: 'YAML of annotated' });
  await page.getByRole('button', { name: 'Add a note' }).click();
  const note = page.getByRole('textbox', { name: 'Text of the note' });
  await expect(note).toBeFocused();
  await page.keyboard.type('Cheap model first');
  await note.blur();
  await expect(yaml).toContainText('Cheap model first');
  await agent(page, 'one').click();
  await page.getByRole('button', { name: 'Group the selected agents' }).click();
  await expect(page.getByRole('textbox', { name: 'Title of the group' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('textbox', { name: 'Title of the group' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove the note' }).click();
  await expect(yaml).not.toContainText('svc.dev/ui-notes');
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});
