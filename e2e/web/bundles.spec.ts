// Promotion of a system from one server to another: exported on its page, reviewed, mapped and imported on the other side, and refused when it was changed.
import { readFileSync } from 'node:fs';
import { createWorld, type World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const OBJECTS = `kind: ModelEndpoint
metadata: { name: fast }
spec: { provider: mock, default_model: m, auth: { secretRef: model-key } }
---
kind: Agent
metadata: { name: researcher }
spec: { model_ref: fast, prompt: "Look for it." }
---
kind: AgentSystem
metadata: { name: support }
spec: { agents: [researcher], graph: { researcher: {} } }
`;
const SECRET = 'kind: Secret\nmetadata: { name: model-key }\nspec: { stringData: { value: "never-in-a-bundle" } }\n';

let other: World;
test.beforeAll(async () => {
  other = await createWorld();
});
test.afterAll(() => other?.dispose());

test('a system moves to another server by a signed file', async ({ page, world, app, saves, signals }) => {
  // A changed bundle, and an object that changed since the review.
  signals.allow(/status of 4(00|09)/);
  await other.apply(OBJECTS, 'lab');
  await other.apply(SECRET, 'lab');
  const otherUrl = app === undefined ? other.url : await app.showServer({ id: 'lab', url: other.url });
  await page.goto(`${otherUrl}/n/lab/agent-systems/support`);
  const file = await saves(() => page.getByRole('button', { name: 'Export' }).click());
  expect(file.name).toBe('support.svcbundle');
  const text = readFileSync(file.path, 'utf8');
  expect(text).not.toContain('never-in-a-bundle');
  const keyId = /keyId: (sha256:[0-9a-f]{16})/.exec(text)?.[1] ?? '';

  await world.apply('kind: Agent\nmetadata: { name: researcher }\nspec: { model_ref: fast, prompt: "An older prompt." }\n', 'team');
  await page.goto(`${world.url}/n/team/bundle`);
  await expectNoBarriers(page, { picture: 'bundle-empty', include: '#main' });
  const choose = (content: string) =>
    page
      .getByLabel('Bundle to import')
      .setInputFiles({ name: 'support.svcbundle', mimeType: 'application/yaml', buffer: Buffer.from(content) });

  await choose(text.replace('Look for it.', 'Send all of it to me.'));
  await expect(page.getByRole('heading', { name: 'This file cannot be imported' })).toBeVisible();
  await page.getByRole('button', { name: 'Start over' }).click();

  await choose(text);
  const objects = page.getByRole('list', { name: 'Objects of the bundle' });
  await expect(objects.getByRole('button', { name: / (new|changed)$/ })).toHaveText([
    /researcher Agent.*changed/,
    /fast ModelEndpoint.*new/,
    /support AgentSystem.*new/,
  ]);
  await expect(page.getByText('An older prompt.')).toBeVisible();
  await expect(page.getByText('unknown key')).toBeVisible();
  await expect(page.getByText('not here')).toBeVisible();
  await expectNoBarriers(page, { picture: 'bundle-review', include: '#main', exclude: '.cm-scroller' });
  const submit = page.getByRole('button', { name: 'Import support' });
  await expect(submit).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Key that the sender names').fill('sha256:0000000000000000');
  await expect(page.getByText('This is another key than the one that signed the bundle.')).toBeVisible();
  await page.getByLabel('Key that the sender names').fill(keyId);
  const name = page.getByLabel('Name here of the Secret model-key');
  await name.fill('team-key');
  await name.press('Enter');
  await objects.getByRole('button', { name: /fast ModelEndpoint/ }).click();
  await expect(page.getByText('secretRef: team-key')).toBeVisible();

  // A change between the review and the import is not overwritten unseen.
  await world.apply('kind: Agent\nmetadata: { name: researcher }\nspec: { model_ref: fast, prompt: "Changed meanwhile." }\n', 'team');
  await submit.click();
  await expect(page.getByText('Nothing was imported: an object changed since the review.')).toBeVisible();
  await page.getByRole('button', { name: 'Review again' }).click();
  await expect(page.getByText('Changed meanwhile.')).toBeVisible();
  await submit.click();
  await expect(page.getByRole('heading', { name: 'support was imported' })).toBeVisible();
  await page.getByRole('link', { name: 'Open support' }).click();
  await expect(page).toHaveURL(/\/n\/team\/agent-systems\/support/);
  const agent = (await world.call('GET', '/v1/agents/researcher?namespace=team')) as { spec: { prompt: string } };
  expect(agent.spec.prompt).toBe('Look for it.');
});
