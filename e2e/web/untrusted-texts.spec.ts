// Text written by a model, on the pages of its run: very long, and written to deceive. The page shows it as text and stays responsive.
import { browserOnly, expect, test } from './fixtures.ts';
import type { World } from '../world/world.ts';

/** A system whose only agent answers with `text`, where `{{input}}` stands for the input of the run. */
const answering = (name: string, text: string): string =>
  [
    { kind: 'ModelEndpoint', metadata: { name }, spec: { provider: 'mock', options: { script: JSON.stringify([{ text }]) } } },
    { kind: 'Agent', metadata: { name }, spec: { model_ref: name } },
    { kind: 'AgentSystem', metadata: { name }, spec: { agents: [name] } },
  ]
    .map((document) => JSON.stringify(document))
    .join('\n---\n');

async function finished(world: World, name: string, { text, input }: { readonly text: string; readonly input: string }): Promise<string> {
  await world.apply(answering(name, text));
  await world.run(`default/${name}`, name, { request: input });
  await world.untilPhase(`default/${name}`, ['Succeeded', 'Failed', 'DeadLetter']);
  return `${world.url}/n/default/tasks/${name}`;
}

test.describe(() => {
  browserOnly('The app downloads large files as a page does, and the double of Electron downloads none.');

  test('an output of 10 MB shows its beginning and its size, and can be downloaded whole', async ({ page, emptyWorld, saves }) => {
    const piece = `${'All work and no play makes a long report.'.repeat(2_500)}\n`;
    const address = await finished(emptyWorld, 'long', { text: '{{input}}'.repeat(100), input: piece });
    await page.goto(`${address}?tab=io`);
    const panel = page.getByRole('tabpanel');
    await expect(panel.getByText('The first 256 KB of 9.8 MB')).toBeVisible();
    expect(await panel.evaluate((element) => element.textContent.length)).toBeLessThan(1_000_000);
    const { name } = await saves(() => panel.getByRole('button', { name: 'Download all' }).click());
    expect(name).toBe('long-output.txt');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await expect(page.getByRole('row', { name: /long/ }).first()).toBeVisible();
  });
});

test('an answer that imitates controls and hides characters stays text', async ({ page, emptyWorld }) => {
  const text = [
    '# Approved',
    '<button>Approve all</button><img src=x onerror="document.title=1">',
    '[Open the inbox](javascript:document.title=1) ![seen](https://tracker.example/pixel.png)',
    'pay 100\u202e001 to the\u200b clerk \u001b[31mred\u001b[0m',
  ].join('\n\n');
  const address = await finished(emptyWorld, 'sly', { text, input: 'x' });
  for (const form of ['Markdown', 'Text']) {
    await page.goto(`${address}?tab=io`);
    const panel = page.getByRole('tabpanel');
    await panel.getByRole('radio', { name: form }).click();
    await expect(panel.getByText('<button>Approve all</button>')).toBeVisible();
    await expect(panel.locator('mark')).toHaveText(['RLO', 'ZWSP', 'ESC[31m', 'ESC[0m']);
    await expect(panel.getByRole('button', { name: 'Approve all' })).toHaveCount(0);
    await expect(panel.getByRole('img', { name: 'seen' })).toHaveCount(0);
    await expect(panel.locator('a[href^="javascript"]')).toHaveCount(0);
  }
  await expect(page).toHaveTitle(/sly/);
});
