// First start with keys of model providers in the environment of the server: offered by name, and used after a confirmation.
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

const VALUE = 'sk-never-in-a-page';
let world: World;
test.beforeAll(async ({ openWorld }) => {
  world = await openWorld({ args: ['--offer-environment-keys'], env: { OPENAI_API_KEY: VALUE, MISTRAL_API_KEY: 'mk' } });
});
test.afterAll(() => world.dispose());

test('a key that was found becomes a model endpoint with its Secret, and is never in the page', async ({ page }) => {
  const bodies: string[] = [];
  page.on(
    'response',
    (response) =>
      void response.text().then(
        (text) => bodies.push(text),
        () => undefined,
      ),
  );
  await page.goto(`${world.url}/n/default/dashboard`);
  const offers = page.getByRole('region', { name: 'Keys found on this machine' });
  await expect(offers.getByRole('listitem')).toHaveCount(2);
  await expectNoBarriers(page, { picture: 'offers' });
  await offers.getByRole('button', { name: 'Use OPENAI_API_KEY' }).click();
  const dialog = page.getByRole('dialog', { name: 'Use the key OPENAI_API_KEY?' });
  await expect(dialog).toContainText('https://api.openai.com/v1');
  await dialog.getByLabel('Model').fill('gpt-test');
  await expectNoBarriers(page, { picture: 'yes' });
  await dialog.getByRole('button', { name: 'Read and store it' }).click();
  await expect(page.getByRole('list', { name: 'Steps to a first run' }).getByRole('listitem').first()).toContainText('(done)');
  await expect(offers).toBeHidden();
  const endpoint = await world.call('GET', '/v1/model-endpoints/openai?namespace=default');
  expect(endpoint).toMatchObject({ spec: { default_model: 'gpt-test', auth: { secretRef: 'openai-key' } } });
  expect(bodies.join('\n')).not.toContain(VALUE);
});

test('a no reads nothing, and an existing name is refused in words', async ({ page, signals }) => {
  signals.allow(/409/);
  await world.call('DELETE', '/v1/model-endpoints/openai?namespace=default');
  await page.goto(`${world.url}/n/default/dashboard`);
  const use = page.getByRole('button', { name: 'Use OPENAI_API_KEY' });
  await use.click();
  await page.getByRole('button', { name: 'Do not read it' }).click();
  await expect(use).toBeFocused();
  await use.press('Enter');
  await page.getByRole('button', { name: 'Read and store it' }).click();
  await expect(page.getByRole('dialog')).toContainText('openai-key');
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('The key was not added');
});
