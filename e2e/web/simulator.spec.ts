// The policy simulator: one call in full, and the matrix that leads to it.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const RULE = (verdict: string) => `apiVersion: svc.dev/v1
kind: ToolPermission
metadata:
  name: invoice-delete
  namespace: operations
spec:
  tool_ref: invoice-delete
  operation_rules:
    - operation_class: "*"
      verdict: ${verdict}
`;

test('a cell of the matrix leads to the whole answer and the rule behind it', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/simulator`);
  const cell = page.getByRole('button', { name: 'billing, invoice-delete: Ask' });
  await cell.click();
  await expect(page).toHaveURL(/agent=billing&tool=invoice-delete/);
  const answer = page.getByRole('region', { name: 'Result' });
  await expect(answer.getByRole('heading', { name: 'The call would need approval' })).toBeVisible();
  await expect(answer.getByRole('link', { name: /ToolPermission invoice-delete/ }).first()).toBeVisible();
  await page
    .getByRole('button', { name: /, ledger-search: Not listed/ })
    .first()
    .click();
  await expect(answer.getByRole('heading', { name: 'The call would be denied' })).toBeVisible();
  await page.goBack();
  await expect(answer.getByRole('heading', { name: 'The call would need approval' })).toBeVisible();
});

test('the matrix is walked by keys and exported as CSV', async ({ page, world, saves }) => {
  await page.goto(`${world.url}/n/operations/simulator`);
  const cells = page.getByRole('grid', { name: 'Verdicts by agent and tool' }).getByRole('button');
  await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();
  await cells.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/agent=/);
  const { name } = await saves(() => page.getByRole('button', { name: 'CSV' }).click());
  expect(name).toBe('access-operations.csv');
});

/** Pastes over the whole text. */
async function rewrite(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'YAML of the change to try' });
  await editor.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test('an unsaved change is judged beside the current answer', async ({ page, world, signals }) => {
  // The answer to a Secret.
  signals.allow(/status of 400/);
  await page.goto(`${world.url}/n/operations/simulator?agent=billing&tool=invoice-delete`);
  const answer = page.getByRole('region', { name: 'Result' });
  await expect(answer.getByRole('heading', { name: 'The call would need approval' })).toBeVisible();
  await answer.getByRole('button', { name: 'Try a change' }).first().click();
  const editor = page.getByRole('textbox', { name: 'YAML of the change to try' });
  await expect(editor).toContainText('kind: ToolPermission');
  const compared = page.getByRole('region', { name: 'Now and with the change' });
  await expect(compared.getByRole('heading', { name: 'The change leaves this verdict as it is' })).toBeVisible();

  await rewrite(page, RULE('deny'));
  await expect(compared.getByRole('heading', { name: 'The change turns Ask into Deny' })).toBeVisible();
  await expect(compared.getByRole('group', { name: 'Now' })).toContainText('The call would need approval');
  await expect(compared.getByRole('group', { name: 'With the change' })).toContainText('as changed here');
  await expect(page.getByRole('button', { name: 'billing, invoice-delete: Ask, would be Deny' })).toBeVisible();
  await expect(page.getByText('1 cell would change')).toBeVisible();

  await rewrite(page, RULE('perhaps'));
  await expect(compared).toBeHidden();
  await expect(page.getByText(/operation_rules\[0\]\.verdict/).first()).toBeVisible();

  await rewrite(page, 'apiVersion: svc.dev/v1\nkind: Secret\nmetadata:\n  name: key\nspec:\n  stringData: {}\n');
  await expect(page.getByText(/a what-if takes no other kind/).first()).toBeVisible();

  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(answer.getByRole('heading', { name: 'The call would need approval' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'billing, invoice-delete: Ask', exact: true })).toBeVisible();
});

test('a tried change is reviewed against the stored objects, and applied', async ({ page, world }) => {
  await page.goto(`${world.url}/n/operations/simulator?agent=billing&tool=invoice-delete&try=ToolPermission operations/invoice-delete`);
  await expect(page.getByRole('textbox', { name: 'YAML of the change to try' })).toContainText('kind: ToolPermission');
  await rewrite(page, RULE('deny'));
  await expect(page.getByRole('heading', { name: 'The change turns Ask into Deny' })).toBeVisible();
  await page.getByRole('button', { name: 'Review and apply…' }).click();
  await expect(page.getByRole('heading', { name: 'Import', level: 1 })).toBeVisible();
  await expect(page.getByText('Change tried in the simulator, line 1')).toBeVisible();
  await page.getByRole('button', { name: /^Apply/ }).click();
  const question = { namespace: 'operations', agent: 'billing', tool: 'invoice-delete' };
  await expect.poll(() => world.call('POST', '/v1/authorize/check', question)).toMatchObject({ verdict: 'deny' });
});
