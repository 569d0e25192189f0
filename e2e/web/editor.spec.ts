// Changing an object by its YAML: suggestions and problems while typing, the review, the write, and a change by somebody else.
import type { Page } from '@playwright/test';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';
import { replaceText } from './replace-text.ts';

const YAML = '/n/operations/agents/answers?tab=yaml';

async function openYaml(page: Page, url: string) {
  await page.goto(`${url}${YAML}`);
  const editor = page.getByRole('textbox', { name: /YAML of Agent/ });
  await expect(editor).toContainText('model_ref: desk-model', { timeout: 30_000 });
  return editor;
}

/** A line at the end of the spec, which is the end of the text. */
async function writeLine(page: Page, line: string): Promise<void> {
  await page.getByRole('textbox', { name: /YAML of Agent/ }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(line);
}

/**
 * Uses the pointer: just after suggestions open, keys still go to the text, to prevent accidental choices. The editor has no suggestions before
 * the schema is loaded, and ignores a press while it requests them: so they are requested only while they are not listed.
 */
async function chooseSuggestion(page: Page, name: string, text: string): Promise<void> {
  const option = page.getByRole('option', { name, exact: true });
  await expect(async () => {
    if (await option.isVisible()) await option.click({ timeout: 5_000 });
    else await page.keyboard.press('Control+Space');
    await expect(page.getByRole('textbox', { name: /YAML of Agent/ })).toContainText(text, { timeout: 500 });
  }).toPass();
}

async function reviewAndApply(page: Page, agent: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await page
    .getByRole('dialog', { name: /Apply Agent/ })
    .getByRole('button', { name: 'Apply' })
    .click();
  await expect(page.getByText(`Agent ${agent} applied`)).toBeVisible();
}

test('the editor offers keys and live names, and reports problems in their place', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  too');
  await chooseSuggestion(page, 'tools', 'tools:');
  await page.keyboard.type('led');
  await chooseSuggestion(page, 'ledger-search', '- ledger-search');
  await expect(page.getByText('No problems')).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.type('  promt: hello');
  const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button', { name: /spec\.promt is not a field/ });
  await expect(problem).toContainText('did you mean "prompt"?');
});

test('a change is reviewed, applied and confirmed', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  allowed_tools: [ledger-search]');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Checked by the server')).toBeVisible();
  await page.keyboard.press('Control+s');
  const review = page.getByRole('dialog', { name: /Apply Agent operations\/answers/ });
  await expect(review.getByText('1 change')).toBeVisible();
  await review.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText(/Agent answers applied, version 2/)).toBeVisible();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});

test('text typed over several lines replaces them, and the policy of the page has nothing to refuse', async ({ page, world }) => {
  const editor = await openYaml(page, world.url);
  const lines = () => editor.evaluate((content) => [...content.querySelectorAll('.cm-line')].map((line) => line.textContent));
  await replaceText(editor, 'one\ntwo\nthree\nfour');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.type('XY');
  await expect.poll(lines).toEqual(['oXYhree', 'four']);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('(');
  // Brackets enclose the selection, as they do within a line.
  await expect.poll(lines).toEqual(['(oXYhree', 'four)']);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('all');
  await expect.poll(lines).toEqual(['all']);
});

test('a draft survives closing the page', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  # to be continued');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('textbox', { name: /YAML of Agent/ })).toContainText('# to be continued');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});

test('a concurrent change of somebody else is merged, not lost', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  roles: [night]');
  await world.call('PATCH', '/v1/agents/answers?namespace=operations', { spec: { prompt: 'Answer kindly.' } });
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  const merge = page.getByRole('dialog', { name: /Somebody else changed/ });
  await expect(merge.getByRole('status').first()).toContainText('Nothing is left to decide');
  await merge.getByRole('button', { name: 'Use the merged version' }).click();
  const editor = page.getByRole('textbox', { name: /YAML of Agent/ });
  await editor.click();
  await page.keyboard.press('Control+z');
  await expect(editor).not.toContainText('night');
  await expect(editor).toContainText('Answer kindly.');
  await page.keyboard.press('Control+y');
  await reviewAndApply(page, 'answers');
  const stored = (await world.call('GET', '/v1/agents/answers?namespace=operations')) as { spec: { prompt: string; roles: string[] } };
  expect(stored.spec).toMatchObject({ prompt: 'Answer kindly.', roles: ['night'] });
});

test('a change by somebody else during the review is reported there, and merged', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  tools: [ledger-search]');
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const review = page.getByRole('dialog', { name: /Apply Agent/ });
  await expect(review.getByRole('button', { name: 'Apply' })).toBeVisible();
  await world.call('PATCH', '/v1/agents/answers?namespace=operations', { spec: { prompt: 'Answer at once.' } });
  await review.getByRole('button', { name: 'Review again' }).click();
  const merge = page.getByRole('dialog', { name: /Somebody else changed/ });
  await merge.getByRole('button', { name: 'Use the merged version' }).click();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  await review.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText(/Agent answers applied/)).toBeVisible();
  const stored = (await world.call('GET', '/v1/agents/answers?namespace=operations')) as { spec: { prompt: string; tools: string[] } };
  expect([stored.spec.prompt, stored.spec.tools]).toEqual(['Answer at once.', ['ledger-search']]);
});

test('a draft of an object that was deleted and created again is merged with the new one', async ({ page, world, signals }) => {
  signals.allow(/409/);
  const made = (tool: string) =>
    world.apply(
      `apiVersion: svc.dev/v1\nkind: Agent\nmetadata: { name: reborn, namespace: operations }\nspec: { model_ref: desk-model, prompt: ${tool} }\n`,
    );
  await made('Before.');
  const url = `${world.url}/n/operations/agents/reborn?tab=yaml`;
  await page.goto(url);
  await writeLine(page, '  roles: [night]');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await page.goto('about:blank');
  await world.call('DELETE', '/v1/agents/reborn?namespace=operations');
  await made('After.');
  await page.goto(url);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const merge = page.getByRole('dialog', { name: /Somebody else changed/ });
  await merge.getByRole('button', { name: 'Use the merged version' }).click();
  await reviewAndApply(page, 'reborn');
  const stored = (await world.call('GET', '/v1/agents/reborn?namespace=operations')) as { spec: { prompt: string; roles: string[] } };
  expect([stored.spec.prompt, stored.spec.roles]).toEqual(['After.', ['night']]);
});

test('an undecided draft is still offered after a second draft was begun', async ({ page, world }) => {
  await openYaml(page, world.url);
  await writeLine(page, '  # the long one');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Restore' })).toBeVisible();
  await writeLine(page, '  # in passing');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await page.reload();
  const restore = page.getByRole('button', { name: 'Restore' });
  await restore.click();
  const editor = page.getByRole('textbox', { name: /YAML of Agent/ });
  await expect(editor).toContainText('# in passing');
  await restore.click();
  await expect(editor).toContainText('# the long one');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
});

test('a draft survives a discarded one of another tab', async ({ page, world }) => {
  await openYaml(page, world.url);
  const other = await page.context().newPage();
  await openYaml(other, world.url);
  await writeLine(page, '  # of the first tab');
  await expect(page.getByText(/kept as a draft/)).toBeVisible();
  await writeLine(other, '  # of the second tab');
  await expect(other.getByText(/kept as a draft/)).toBeVisible();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
  await other.reload();
  await other.getByRole('button', { name: 'Restore' }).click();
  await expect(other.getByRole('textbox', { name: /YAML of Agent/ })).toContainText('# of the second tab');
  await other.getByRole('button', { name: 'Discard changes' }).click();
  await other.close();
});

test('a line that is longer than the editor is scrolled by keys', async ({ page, world }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${world.url}/n/operations/agents/billing?tab=yaml`);
  await expect(page.getByRole('textbox', { name: /YAML of Agent/ })).toBeVisible();
  await expectNoBarriers(page, { picture: 'long-line', include: '#main' });
});

test('a change whose answer was lost counts as applied', async ({ page, world, signals }) => {
  signals.allow(/ERR_FAILED/);
  await world.call('POST', '/v1/agent-roles?namespace=operations', { kind: 'AgentRole', metadata: { name: 'clerk' }, spec: {} });
  await page.goto(`${world.url}/n/operations/agent-roles/clerk?tab=yaml`);
  const editor = page.getByRole('textbox', { name: /YAML of AgentRole/ });
  await expect(editor).toContainText('spec:');
  await replaceText(editor, 'kind: AgentRole\nmetadata:\n  name: clerk\n  namespace: operations\nspec:\n  description: Reads ledgers.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Review and apply' }).click();
  const apply = page.getByRole('dialog', { name: /Apply AgentRole/ }).getByRole('button', { name: 'Apply' });
  await expect(apply).toBeVisible();
  let lost = false;
  // The route stays: its removal among the requests of a page can leave one of them without an answer.
  await page.route(/resources\.write/, async (route) => {
    if (lost) return route.continue();
    lost = true;
    await route.fetch();
    return route.abort();
  });
  await apply.click();
  await expect(page.getByText('AgentRole clerk applied, version 2')).toBeVisible();
  await expect(page.getByText('No changes', { exact: true })).toBeVisible();
  await expect(page.getByText('Somebody else changed this object')).toBeHidden();
  expect(lost).toBe(true);
  await page.goto(`${world.url}/n/operations/new/agent-roles`);
  await page.getByRole('button', { name: /^Minimal/ }).click();
  const fresh = page.getByRole('textbox', { name: /YAML of the new/ });
  await replaceText(fresh, 'kind: AgentRole\nmetadata:\n  name: auditor\nspec:\n  description: Reads all.');
  await page.keyboard.press('Escape');
  lost = false;
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'auditor' })).toBeVisible();
  expect(lost).toBe(true);
});
