// Pictures of docs/desktop.md, taken through the double in both themes by `npm run screenshots`. What they show is tested in shell.spec.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { settled } from '../axe.ts';
import { startServerProcess } from '../../server/testing/server-process.ts';
import { launchDesktop, type Desktop, type LaunchOptions } from './launch.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'screenshots');
const open: Desktop[] = [];
const folders: string[] = [];
async function launch(options: LaunchOptions = {}): Promise<Desktop> {
  const desktop = await launchDesktop(options);
  open.push(desktop);
  await desktop.page.setViewportSize({ width: 1200, height: 760 });
  return desktop;
}
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  folders.push(path);
  return path;
}
test.afterEach(async () => {
  for (const desktop of open.splice(0)) await desktop.close().catch(() => undefined);
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction((theme) => (document.documentElement.dataset['theme'] ?? theme) === theme, colorScheme);
    await settled(page);
    await page.screenshot({ path: join(FOLDER, `desktop-${name}-${colorScheme}.png`) });
  }
}

test('the boot page while the server starts', async () => {
  const { page, state } = await launch();
  const pidOf = () => state(({ server }) => server?.pid ?? 0);
  await expect.poll(pidOf).toBeGreaterThan(0);
  const pid = await pidOf();
  process.kill(pid, 'SIGSTOP');
  await expect(page.getByRole('heading').first()).toBeVisible();
  await take(page, 'boot');
  process.kill(pid, 'SIGCONT');
});

test('the boot page of a server that cannot start', async () => {
  const userData = folder();
  mkdirSync(join(userData, 'server'), { recursive: true });
  writeFileSync(join(userData, 'server', 'svc.db'), 'no database '.repeat(500));
  const { page } = await launch({ userData });
  await expect(page.getByRole('alert')).toContainText('damaged');
  await take(page, 'failure');
});

test('the first start, with a key in the environment', async () => {
  const desktop = await launch({ env: { OPENAI_API_KEY: 'sk-of-a-picture', SHELL: '/bin/bash' } });
  await desktop.console();
  const { page } = desktop;
  await expect(page.getByRole('button', { name: 'Use OPENAI_API_KEY' })).toBeVisible();
  await take(page, 'first-start');
});

test('the window with a terminal in its dock', async () => {
  const desktop = await launch({ env: { SHELL: '/bin/sh', PS1: '$ ' } });
  await desktop.console();
  const { page } = desktop;
  await page.goto(new URL('/n/default/agents', page.url()).href);
  await page.getByRole('button', { name: 'Terminals' }).click();
  const screen = page.getByRole('region', { name: 'Terminals' }).locator('[data-terminal-screen]:visible .xterm-rows');
  await expect(screen).toContainText(/[$#]/);
  await page.keyboard.type('svcctl get workers');
  await page.keyboard.press('Enter');
  await expect(screen).toContainText('Ready', { timeout: 20_000 });
  await take(page, 'terminal');
});

test('the settings of notifications, work and servers, and a pause', async () => {
  const remote = await startServerProcess({ env: { SVC_API_TOKENS: 'ann:token-of-the-remote-admin:admin' } });
  const desktop = await launch();
  await desktop.console();
  const { page } = desktop;
  await page.goto(new URL('/n/default/settings?tab=desktop', page.url()).href);
  await expect(page.getByRole('switch', { name: 'Notify of approvals' })).toBeVisible();
  await take(page, 'notifications');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Staging EU');
  await dialog.getByLabel('Address').fill(remote.url);
  await dialog.getByLabel('API token').fill('token-of-the-remote-admin');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByRole('status')).toContainText('The server answers');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Show Staging EU' }).click();
  await page.waitForURL('**/p/staging-eu/**');
  await page.getByRole('button', { name: 'Server: Staging EU' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await take(page, 'profiles');
  await page
    .getByRole('menuitem', { name: 'This machine' })
    .or(page.getByRole('menuitemcheckbox', { name: 'This machine' }))
    .click();
  await page.waitForURL(/:\d+\/n\//);
  await page.goto(new URL('/n/default/settings?tab=desktop', page.url()).href);
  await page.getByRole('switch', { name: 'Pause work' }).click();
  await expect(page.getByText(/^Work is paused/)).toBeVisible();
  await page.getByRole('button', { name: 'Save and restart' }).scrollIntoViewIfNeeded();
  await take(page, 'paused');
  await remote.dispose();
});
