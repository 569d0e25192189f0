// Pages on paper, with larger text of the browser, and for pointers that hit less exactly.
import { expect, test } from './fixtures.ts';

test.use({ baseURL: async ({ world }, use) => use(world.url) });

test('a run is printed whole, in dark ink and without the frame of the console', async ({ page, world }) => {
  await world.call('POST', '/v1/tasks?namespace=operations', {
    kind: 'Task',
    metadata: { name: 'long-input' },
    spec: {
      system: 'service-desk',
      mode: 'template',
      input: { request: Array.from({ length: 200 }, (_, line) => `Line ${line}`).join('\n') },
    },
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/n/operations/tasks/long-input?tab=io');
  await expect(page.getByText('Line 199')).toBeAttached();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  await expect(page.getByRole('banner')).toBeHidden();
  const scrollers = () =>
    page.getByRole('main').evaluate(
      (main) =>
        [...main.querySelectorAll(':not(.sr-only)')].filter((each) => {
          const cuts = getComputedStyle(each).overflowY !== 'visible';
          return cuts && each.scrollHeight > each.clientHeight + 4;
        }).length,
    );
  await expect.poll(scrollers).toBe(0);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
});

test('states of runs are whole where the browser shows larger text', async ({ page }) => {
  await page.goto('/n/operations/tasks');
  const states = page.getByRole('grid', { name: 'Runs' }).locator('[data-phase] > span');
  await expect(states.first()).toBeVisible();
  await page.evaluate(() => (document.documentElement.style.fontSize = '24px'));
  const cut = () => states.evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
  await expect.poll(cut).toBe(0);
});

test('buttons beside each other in the values of a call have at least 24 pixels', async ({ page }) => {
  await page.goto('/n/operations/inbox');
  const copy = page.getByRole('button', { name: 'Copy this value' }).first();
  const side = async () => {
    const { width, height } = (await copy.boundingBox()) ?? { width: 0, height: 0 };
    return Math.min(width, height);
  };
  await expect.poll(side).toBeGreaterThanOrEqual(24);
});

test('the buttons that copy values are visible on a touch screen', async ({ page }) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.goto('/n/operations/inbox');
  const copy = page.getByRole('button', { name: 'Copy this value' }).first();
  await expect(copy.locator('..')).toHaveCSS('opacity', '1');
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await devtools.detach();
});
