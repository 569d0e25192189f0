// A rule in place of further decisions: proposed beside the call, judged by the server, applied as an import.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

test('Always proposes a rule with its effect, and the next run follows it', async ({ page, emptyWorld: world }) => {
  await world.apply(readFileSync(join(import.meta.dirname, '..', 'world', 'mailroom.yaml'), 'utf8'), 'mailroom');
  for (const name of ['news-1', 'news-2']) await world.run('mailroom/mailroom', name, { request: 'the newsletter' });
  for (const name of ['news-1', 'news-2']) await world.untilPhase(`mailroom/${name}`, ['WaitingApproval']);
  await page.goto(`${world.url}/n/mailroom/inbox`);
  await page.getByRole('list', { name: 'Waiting approvals' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Always…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decide mail-send by a rule' });
  await expect(dialog.getByRole('button', { name: 'Review and apply…' })).toHaveAttribute('aria-disabled', 'true');
  const effect = dialog.getByRole('region', { name: 'Effect of the rule' });
  await dialog.getByRole('radio', { name: 'Deny mail-send in runs of mailroom' }).click();
  await expect(effect.getByRole('listitem')).toHaveCount(2);
  await expect(effect.getByRole('listitem').first()).toContainText('Denied');
  await dialog.getByRole('radio', { name: 'Allow mail-send without approval' }).click();
  await expect(effect.getByRole('listitem').first()).toContainText('Allowed');
  await expectNoBarriers(page, { picture: 'always', include: '[role=dialog]', widths: [390, 1440] });
  await dialog.getByRole('button', { name: 'Review and apply…' }).click();
  await page.getByRole('button', { name: 'Apply one document' }).click();
  await expect(page.getByText('The document was applied, in one transaction.')).toBeVisible();
  await world.run('mailroom/mailroom', 'news-3', { request: 'the newsletter' });
  await world.untilPhase('mailroom/news-3', ['Succeeded']);
});
