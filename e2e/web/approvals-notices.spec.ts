// Browser notifications, with a browser that records them: one for each new approval, without the tool's input, withdrawn once decided.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { browserOnly, expect, test } from './fixtures.ts';

browserOnly('Notifications are of the app there, which e2e/shell tests.');

interface Note {
  readonly title: string;
  readonly body: string;
  readonly open: boolean;
}

interface ListedApproval {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly task_ref: string; readonly input: string };
}

/** A hidden page, whose notifications are recorded. */
async function recordNotices(page: Page): Promise<() => Promise<Note[]>> {
  await page.addInitScript(() => {
    const notes: { title: string; body: string; open: boolean }[] = [];
    class Recorded extends EventTarget {
      static readonly permission = 'granted';
      readonly #note: (typeof notes)[number];
      constructor(title: string, { body = '' }: NotificationOptions = {}) {
        super();
        this.#note = { title, body, open: true };
        notes.push(this.#note);
      }
      close() {
        this.#note.open = false;
      }
    }
    document.hasFocus = () => false;
    Object.assign(window, { Notification: Recorded, notes });
  });
  return () => page.evaluate(() => (window as unknown as { notes: Note[] }).notes);
}

test('an approval that appears after the page has loaded is notified once, without its input, and withdrawn when decided elsewhere', async ({
  page,
  context,
  emptyWorld: world,
}) => {
  await context.grantPermissions(['notifications'], { origin: world.url });
  await world.apply(readFileSync(join(import.meta.dirname, '..', 'world', 'mailroom.yaml'), 'utf8'), 'mailroom');
  await world.run('mailroom/mailroom', 'old', { request: 'the newsletter' });
  await world.untilPhase('mailroom/old', ['WaitingApproval']);
  const notices = await recordNotices(page);
  let answer: () => void = () => undefined;
  const asking = new Promise<void>((resolve) => (answer = resolve));
  // The page's first list loads after a new approval was added.
  await page.route(/resources\.list.*ToolApproval/, async (route) => {
    await asking;
    await route.continue();
  });
  await page.goto(`${world.url}/n/mailroom/systems`);
  await world.run('mailroom/mailroom', 'party', { request: 'the invitation' });
  await world.untilPhase('mailroom/party', ['WaitingApproval']);
  answer();
  await expect.poll(notices).toHaveLength(1);
  await expect(page).toHaveTitle(/^\(2\) /);
  const [notice] = await notices();
  expect(notice).toMatchObject({ title: 'mail-send · clerk', open: true });
  const listed = (await world.call('GET', '/v1/tool-approvals?namespace=mailroom')) as ListedApproval[];
  const party = listed.find(({ spec }) => spec.task_ref.endsWith('party'));
  const input = Object.values(JSON.parse(party?.spec.input ?? '{}') as Record<string, string>);
  expect(input.length).toBeGreaterThan(0);
  for (const part of input) expect(JSON.stringify(notice)).not.toContain(part);
  await world.call('POST', `/v1/tool-approvals/${party?.metadata.name}/deny?namespace=mailroom`, {});
  await expect.poll(async () => (await notices()).map(({ open }) => open)).toEqual([false]);
  await expect(page).toHaveTitle(/^\(1\) /);
});
