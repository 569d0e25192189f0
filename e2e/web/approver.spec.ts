// Inbox of an approver and of a refused decider: the required decider is shown before anybody presses, and an approver changes nothing
// else.
import type { Page } from '@playwright/test';
import { createWorld, type World } from '../world/world.ts';
import type { AppWorld } from './app-world.ts';
import { expect, test } from './fixtures.ts';

const tokenOf = (name: string) => `the-long-token-of-${name}`;
const PEOPLE = ['root:admin', 'ann:writer', 'carl:approver'].map((entry) => entry.split(':') as [string, string]);
const tokens = PEOPLE.map(([name, role]) => `${name}:${tokenOf(name)}:${role}`).join(',');

const SYSTEM = `
kind: Tool
metadata: { name: pay }
spec: { type: http, endpoint: 'http://127.0.0.1:1/', risk_level: low, operation_classes: [write], runtime: { isolation_mode: none } }
---
kind: ToolPermission
metadata: { name: pay }
spec:
  operation_rules: [{ operation_class: '*', verdict: approval_required }]
  approval: { require_other: true, ttl: 1h, reason: Money leaves the house. }
---
kind: ModelEndpoint
metadata: { name: model }
spec:
  provider: mock
  options: { script: "- tool: pay\\n  input: { euros: 50 }\\n- text: done\\n" }
---
kind: Agent
metadata: { name: clerk }
spec: { model_ref: model, tools: [pay] }
---
kind: AgentSystem
metadata: { name: desk }
spec: { agents: [clerk], graph: { clerk: {} } }
`;

let guarded: World;
test.beforeAll(async () => {
  guarded = await createWorld({ token: tokenOf('root'), args: ['--allow-private-tool-endpoints'], env: { SVC_API_TOKENS: tokens } });
  await guarded.apply(SYSTEM);
  const headers = { authorization: `Bearer ${tokenOf('ann')}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ metadata: { name: 'refund' }, spec: { system: 'desk' } });
  const created = await fetch(`${guarded.url}/v1/tasks`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  await guarded.untilPhase('default/refund', ['WaitingApproval']);
});
test.afterAll(() => guarded.dispose());

/** The browser itself writes refused requests to the console. */
const REFUSED = /status of (401|403)|no valid credentials/;

/** Opens the inbox of a person: signed in on the page, or through the app that has the token. Resolves with the address of the server. */
async function signIn(page: Page, { app, name }: { readonly app: AppWorld | undefined; readonly name: string }): Promise<string> {
  const url = app === undefined ? guarded.url : await app.showServer({ id: `of-${name}`, url: guarded.url, token: tokenOf(name) });
  await page.goto(`${url}/n/default/inbox`);
  if (app === undefined) {
    await page.getByLabel('API token').fill(tokenOf(name));
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
  return url;
}
const decision = (page: Page) => page.getByRole('region', { name: 'Decision', exact: true });

test('creator of the Task sees why the decision requires another person, and cannot press', async ({ page, app, signals }) => {
  signals.allow(REFUSED);
  await signIn(page, { app, name: 'ann' });
  await expect(decision(page).getByText(/another person: ann created Task default\/refund; .* except root$/)).toBeVisible();
  await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeDisabled();
  await expect(decision(page).getByRole('button', { name: 'Deny' })).toBeDisabled();
});

for (const theme of ['light', 'dark'] as const)
  test(`approver may decide and write nothing else, ${theme}`, async ({ page, app, signals }, info) => {
    signals.allow(REFUSED);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const url = await signIn(page, { app, name: 'carl' });
    await expect(decision(page).getByText('You may decide.')).toBeVisible();
    await expect(decision(page).getByRole('button', { name: 'Approve' })).toBeEnabled();
    await page.screenshot({ path: info.outputPath(`inbox-${theme}.png`) });
    await page.goto(`${url}/n/default/tool-permissions/pay`);
    const edit = page.getByRole('button', { name: 'Edit' });
    await expect(edit).toBeDisabled();
    await edit.hover({ force: true });
    await expect(page.getByRole('tooltip')).toContainText('This requires the role writer; you have the role approver.');
    await page.screenshot({ path: info.outputPath(`rule-${theme}.png`) });
  });

test('decision of an approver resumes the run', async ({ page, app, signals }) => {
  signals.allow(REFUSED);
  await signIn(page, { app, name: 'carl' });
  await decision(page).getByRole('button', { name: 'Approve' }).click();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Just decided' })).toContainText('Approved pay');
});
