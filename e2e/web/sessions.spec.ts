// Conversations on the page of a Session: streamed answers, approvals, interruption, reload in mid-answer.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { startSpeakingModel, type SpeakingModel } from '../../server/testing/speaking-model.ts';
import type { World } from '../world/world.ts';
import { expectNoBarriers } from './barriers.ts';
import { expect, test } from './fixtures.ts';

/** One for each test: calls that an earlier test left open have no reader. */
let model: SpeakingModel;
test.beforeEach(async () => {
  model = await startSpeakingModel();
});
test.afterEach(() => model.close());

test.describe.configure({ timeout: 120_000 });

/** YAML is a superset of JSON. */
const documents = (namespace: string, specs: readonly (readonly [kind: string, name: string, spec: object])[]): string =>
  specs
    .map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name, namespace }, spec }))
    .join('\n---\n');

const speakingSystem = (world: World) =>
  world.apply(
    documents('default', [
      ['ModelEndpoint', 'speaker', model.spec],
      ['Agent', 'speaker', { model_ref: 'speaker', prompt: 'Speak.' }],
      ['AgentSystem', 'speaker', { agents: ['speaker'] }],
    ]),
  );

const newSession = (world: World, name: string, namespace: string, system: string) =>
  world.apply(documents(namespace, [['Session', name, { system }]]), namespace);

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const turn = (page: Page, sequence: number) => page.getByRole('article', { name: `Turn ${sequence}`, exact: true });

async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('');
}

test('a link to a turn opens the conversation there, and further messages stay below', async ({ page, emptyWorld: world }) => {
  const script = JSON.stringify([{ text: 'One line.\n\n'.repeat(12), repeat: true }]);
  await world.apply(
    documents('default', [
      ['ModelEndpoint', 'liner', { provider: 'mock', options: { script } }],
      ['Agent', 'liner', { model_ref: 'liner', prompt: 'Speak.' }],
      ['AgentSystem', 'liner', { agents: ['liner'] }],
    ]),
  );
  await newSession(world, 'linked', 'default', 'liner');
  for (let count = 1; count <= 14; count += 1) {
    const headers = { 'idempotency-key': `turn-${count}`, origin: new URL(world.url).origin };
    await page.request.post(`${world.url}/v1/sessions/linked/turns`, { headers, data: { content: `Question ${count}` } });
  }
  await page.goto(`${world.url}/n/default/sessions/linked`);
  await expect(turn(page, 14).getByRole('button', { name: 'Copy the link to this turn' })).toBeVisible({ timeout: 60_000 });
  await page.getByRole('group', { name: 'Messages' }).evaluate((box) => box.scrollTo(0, 0));
  await expect(turn(page, 2)).toBeAttached();
  const id = (await turn(page, 2).getAttribute('data-turn')) ?? '';
  await page.goto(`${world.url}/n/default/sessions/linked?turn=${id}`);
  await expect(turn(page, 2)).toBeInViewport();
  await expect(turn(page, 2)).toHaveAttribute('aria-current', 'location');
  await expect(turn(page, 14)).not.toBeInViewport();
  await expectNoBarriers(page, { picture: 'linked', include: '#main', widths: [390, 1440] });
  await page.getByRole('button', { name: 'Newest message' }).click();
  await expect(turn(page, 14)).toBeInViewport();
});

test('a Session starts from the page of a system and streams its answer, also over a reload', async ({ page, emptyWorld: world }) => {
  await speakingSystem(world);
  await page.goto(`${world.url}/n/default/agent-systems/speaker`);
  await page.getByRole('button', { name: 'Chat', exact: true }).click();
  await expect(composer(page)).toBeFocused();
  await expect(page.getByText('Start the conversation with speaker')).toBeVisible();
  await expectNoBarriers(page, { picture: 'empty', include: '#main' });
  await send(page, 'How wide is the sea?');
  await model.called();
  model.say('# The sea\n\nIt is **wide**. ![spy](http://example.invalid/x.png)\n\n```js\nconst km = ');
  const first = turn(page, 1);
  await expect(first).toContainText('It is wide.');
  await expect(first.locator('[data-turn-state]')).toContainText('Writing');
  await expectNoBarriers(page, { picture: 'streaming', include: '#main' });
  await page.reload();
  await expect(turn(page, 1)).toContainText('const km =');
  model.say('5000;\n```\n\nThat is all.');
  model.finish();
  await expect(first.getByRole('link', { name: 'Run of turn 1' })).toBeVisible();
  await expect(first).toContainText('const km = 5000;');
  await expect(first).toContainText('That is all.');
  await expect(first.locator('img')).toHaveCount(0);
  await page.reload();
  await expect(turn(page, 1)).toContainText('That is all.');
  await expectNoBarriers(page, { picture: 'answered', include: '#main' });
});

test('a second message queues, an interrupting one stops the turn, and a draft survives a reload', async ({ page, emptyWorld: world }) => {
  await speakingSystem(world);
  await newSession(world, 'talk', 'default', 'speaker');
  await page.goto(`${world.url}/n/default/sessions/talk`);
  await send(page, 'One');
  await model.called();
  model.say('First words');
  await expect(turn(page, 1)).toContainText('First words');
  await send(page, 'Two');
  await expect(turn(page, 2).locator('[data-turn-state]')).toContainText('Queued, next');
  await page.getByRole('switch', { name: 'Interrupt the current turn' }).click();
  await send(page, 'Three');
  await expect(turn(page, 1)).toContainText('Interrupted by a new message');
  await expect(turn(page, 1)).toContainText('Text withdrawn');
  await model.called();
  await expect(turn(page, 3).locator('[data-turn-state]')).toContainText('Thinking');
  await composer(page).fill('A draft\nof two lines');
  await page.reload();
  await expect(composer(page)).toHaveValue('A draft\nof two lines');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(turn(page, 3)).toContainText('Cancelled');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(page.locator('header').getByText('Paused')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Resume', exact: true })).toBeVisible();
});

test('an approval is decided where it happens in the conversation', async ({ page, world }) => {
  await newSession(world, 'desk', 'operations', 'service-desk');
  await page.goto(`${world.url}/n/operations/sessions/desk`);
  await send(page, 'Our invoice list has duplicates, please clean up.');
  const card = turn(page, 1).getByRole('region', { name: 'Approval needed' });
  await expect(card.getByRole('heading', { name: /Agent billing wants to run invoice-delete/ })).toBeVisible();
  await expect(turn(page, 1).locator('[data-turn-state]')).toContainText('Waiting for approval');
  await expect(turn(page, 1).getByRole('list', { name: 'Tool calls' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'approval', include: '#main' });
  // The end stays on screen through another layout; a person who scrolls up leaves it.
  await page.setViewportSize({ width: 700, height: 700 });
  await page.setViewportSize({ width: 1440, height: 600 });
  await expect(turn(page, 1).locator('[data-turn-state]')).toBeInViewport();
  await page.getByText('Our invoice list has duplicates, please clean up.').first().scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Newest message' }).click();
  // Half of a screen at 200 %: the call is read in the scroller of the conversation, which keeps room for it.
  await page.setViewportSize({ width: 720, height: 450 });
  const heights = (selector: string) => page.locator(selector).evaluate((box) => [box.clientHeight, box.scrollHeight]);
  await expect.poll(async () => new Set(await heights('[data-decision-scroll]')).size).toBe(1);
  await expect.poll(async () => (await heights('[aria-label="Messages"]'))[0]).toBeGreaterThan(300);
  await page.setViewportSize({ width: 1440, height: 900 });
  await card.getByRole('button', { name: /^Approve/ }).click();
  await expect(card.getByRole('button', { name: 'Confirm: approve' })).toBeFocused();
  // Up from the end: a decided card is low, and the end is on screen again without a scroll.
  await page.getByRole('group', { name: 'Messages' }).evaluate((box) => box.scrollTo(0, 0));
  await expect(page.getByRole('button', { name: 'Newest message' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(turn(page, 1)).toContainText('Approved');
  await expect(turn(page, 1).getByRole('link', { name: 'Run of turn 1' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Newest message' })).toHaveCount(0);
  await turn(page, 1)
    .getByRole('button', { name: /invoice-delete/ })
    .click();
  await expect(turn(page, 1).getByRole('region', { name: 'Result of invoice-delete' })).toBeVisible();
  await expectNoBarriers(page, { picture: 'approved', include: '#main' });
});

// Another browser: a route of WebSockets stays with its page.
test('a conversation is read and continued where a proxy lets no WebSocket through', async ({ otherBrowser: page, emptyWorld: world }) => {
  await speakingSystem(world);
  await newSession(world, 'unstreamed', 'default', 'speaker');
  await page.routeWebSocket(/\/trpc/, (socket) => socket.close());
  await page.goto(`${world.url}/n/default/sessions/unstreamed`);
  await expect(page.getByText('Start the conversation with speaker')).toBeVisible();
  await send(page, 'How wide is the sea?');
  await expect(turn(page, 1)).toContainText('How wide is the sea?');
  await model.called();
  model.say('Wide.');
  model.finish();
  // Pages without a stream are read again every 5 seconds.
  await expect(turn(page, 1)).toContainText('Wide.', { timeout: 15_000 });
  await page.reload();
  await expect(turn(page, 1)).toContainText('Wide.');
});

test('a message whose answer was lost is sent again without doubling it', async ({ page, emptyWorld: world, signals }) => {
  signals.allow(/ERR_FAILED/);
  await speakingSystem(world);
  await newSession(world, 'lossy', 'default', 'speaker');
  await page.goto(`${world.url}/n/default/sessions/lossy`);
  let submitted = 0;
  await page.route(/sessions\.submit/, async (route) => {
    submitted += 1;
    if (submitted > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await composer(page).fill('Only once');
  await composer(page).press('Enter');
  await expect(page.getByRole('alert')).toContainText('Whether it was sent is not known');
  await expect(composer(page)).toHaveValue('Only once');
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('');
  await expect(page.getByRole('article')).toHaveCount(1);
  const { items } = (await world.call('GET', '/v1/sessions/lossy/turns')) as { items: unknown[] };
  expect([submitted, items.length]).toEqual([2, 1]);
});

test('a Session starts from the list and from the palette, at any width', async ({ page, emptyWorld: world }) => {
  await speakingSystem(world);
  await page.goto(`${world.url}/n/default/sessions`);
  await page
    .getByRole('link', { name: 'Create', exact: true })
    .or(page.getByRole('button', { name: 'Create', exact: true }))
    .click();
  await page.getByRole('textbox', { name: 'Name of the Session' }).fill('named');
  await expectNoBarriers(page, { picture: 'new', include: '#main' });
  await page.getByRole('button', { name: 'Chat with speaker' }).click();
  await expect(page.getByRole('heading', { name: 'named', level: 1 })).toBeVisible();
  await expect(composer(page)).toBeFocused();
  for (const width of [820, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expectNoBarriers(page, { picture: `width-${width}`, include: '#main' });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/^Find anything by name/).fill('speaker');
  await page
    .getByRole('option', { name: /Chat with speaker/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: /^speaker-/, level: 1 })).toBeVisible();
  await expect(composer(page)).toBeFocused();
});

test('the list of Sessions is filtered by agent system', async ({ page, emptyWorld: world }) => {
  await speakingSystem(world);
  await world.call('POST', '/v1/sessions', { metadata: { name: 'by-speaker' }, spec: { system: 'speaker' } });
  await page.goto(`${world.url}/n/default/sessions`);
  await expect(page.getByRole('row', { name: /by-speaker/ })).toBeVisible();
  const filter = page.getByRole('combobox', { name: 'System' });
  await filter.fill('nobody');
  await filter.press('Enter');
  await expect(page.getByText('No Sessions match these filters')).toBeVisible();
  await filter.fill('speak');
  await expect(page.getByRole('option', { name: 'speaker', exact: true })).toBeVisible();
  await filter.press('Enter');
  await expect(page).toHaveURL(/system=speaker/);
  await expect(page.getByRole('row', { name: /by-speaker/ })).toBeVisible();
});

test('the page of a deleted Session names the deletion and keeps the conversation', async ({ page, emptyWorld: world }) => {
  await speakingSystem(world);
  await newSession(world, 'short-lived', 'default', 'speaker');
  await page.goto(`${world.url}/n/default/sessions/short-lived`);
  await send(page, 'How wide is the sea?');
  await model.called();
  model.say('It is wide.');
  model.finish();
  await expect(turn(page, 1).getByRole('link', { name: 'Run of turn 1' })).toBeVisible();
  await world.call('DELETE', '/v1/sessions/short-lived');
  await expect(page.getByText('This Session was deleted while it was open.')).toBeVisible();
  await expect(turn(page, 1)).toContainText('It is wide.');
  await expect(composer(page)).toHaveCount(0);
});

/** Drops a file on the page, as from another window. */
const drop = (page: Page, name: string, text: string) =>
  page.locator('#main > *').evaluate(
    (element, [fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], fileName));
      const inner = element.querySelector('h1') ?? element;
      for (const type of ['dragover', 'drop']) inner.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text] as const,
  );

test('an exported conversation is opened again from its file, to read only', async ({ page, emptyWorld: world, saves }) => {
  await speakingSystem(world);
  await newSession(world, 'kept', 'default', 'speaker');
  await page.goto(`${world.url}/n/default/sessions/kept`);
  await send(page, 'How wide is the sea?');
  await model.called();
  model.say('It is **wide**.');
  model.finish();
  await expect(turn(page, 1).getByRole('link', { name: 'Run of turn 1' })).toBeVisible();
  await page.getByRole('button', { name: 'More actions' }).click();
  const { name, path } = await saves(() => page.getByRole('menuitem', { name: 'Export as JSON' }).click());
  expect(name).toBe('kept.conversation.json');
  const text = readFileSync(path, 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    format: 'svc-conversation',
    version: 1,
    session: { namespace: 'default', name: 'kept', system: 'speaker', phase: 'WaitingInput' },
    turns: [{ content: 'How wide is the sea?' }],
  });
  await world.call('DELETE', '/v1/sessions/kept');
  await page.goto(`${world.url}/n/default/sessions`);
  await expect(page.getByRole('heading', { name: 'Sessions', level: 1 })).toBeVisible();
  await drop(page, 'kept.conversation.json', text);
  await expect(page.getByText('Imported, read-only')).toBeVisible();
  await expect(turn(page, 1)).toContainText('It is wide.');
  await expect(turn(page, 1).getByRole('link')).toHaveCount(0);
  await expect(composer(page)).toHaveCount(0);
  await expect(page.locator('body')).not.toBeFocused();
  await expectNoBarriers(page, { picture: 'imported', include: '#main' });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoBarriers(page, { picture: 'imported-390', include: '#main' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Close the import' }).click();
  await expect(page.getByRole('heading', { name: 'Sessions', level: 1 })).toBeVisible();
  const choose = page.getByLabel('Conversation file');
  const trace = JSON.stringify({ format: 'svc-trace', version: 1 });
  await choose.setInputFiles({ name: 'run.trace.json', mimeType: 'application/json', buffer: Buffer.from(trace) });
  await expect(page.getByRole('alert')).toContainText('This is a trace file; open it in Runs.');
  await choose.setInputFiles({ name: 'renamed.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await expect(turn(page, 1)).toContainText('How wide is the sea?');
});

test('a scroll to the top adds earlier turns above the one that is read', async ({ page, emptyWorld: world }) => {
  await world.apply(
    documents('default', [
      ['ModelEndpoint', 'echo', { provider: 'mock', options: { script: 'ok' } }],
      ['Agent', 'echo', { model_ref: 'echo', prompt: 'Answer.' }],
      ['AgentSystem', 'echo', { agents: ['echo'] }],
    ]),
  );
  await newSession(world, 'long', 'default', 'echo');
  for (let count = 1; count <= 25; count += 1) {
    const headers = { 'idempotency-key': `turn-${count}`, origin: new URL(world.url).origin };
    await page.request.post(`${world.url}/v1/sessions/long/turns`, { headers, data: { content: `Question ${count}` } });
    await expect
      .poll(async () => ((await world.call('GET', '/v1/sessions/long')) as { status: { completedTurns: number } }).status.completedTurns)
      .toBe(count);
  }
  await page.goto(`${world.url}/n/default/sessions/long`);
  await expect(turn(page, 25)).toBeInViewport();
  await expect(turn(page, 18)).toBeVisible();
  await expect(turn(page, 17)).toHaveCount(0);
  await page.getByRole('group', { name: 'Messages' }).hover();
  await page.mouse.wheel(0, -20_000);
  await expect(turn(page, 6)).toBeVisible();
  await expect(turn(page, 18)).toBeInViewport();
  await expect(turn(page, 6)).not.toBeInViewport();
  await page.setViewportSize({ width: 640, height: 400 });
  const blank = () =>
    page.getByRole('main').evaluate((main) => {
      const around = main.querySelector('[aria-label="Messages"]')?.closest('[class*="container:session"]');
      return (around?.scrollHeight ?? 0) - (around?.firstElementChild?.getBoundingClientRect().height ?? 0);
    });
  await expect.poll(blank).toBeLessThanOrEqual(1);
});
