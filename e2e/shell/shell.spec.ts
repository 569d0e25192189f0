// The built desktop app on the double of Electron: launch, sign-in of the window, boot page and its failures, links, guards, notices, settings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startServerProcess } from '../../server/testing/server-process.ts';
import { violationsIn } from '../axe.ts';
import { launchDesktop, type Desktop, type LaunchOptions } from './launch.ts';

const open: Desktop[] = [];
const folders: string[] = [];
async function launch(options: LaunchOptions = {}): Promise<Desktop> {
  const desktop = await launchDesktop(options);
  open.push(desktop);
  return desktop;
}
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-shell-spec-'));
  folders.push(path);
  return path;
}
test.afterEach(async () => {
  for (const desktop of open.splice(0)) await desktop.close().catch(() => undefined);
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

interface MenuEntry {
  label?: string;
  click?: () => void;
  submenu?: MenuEntry[];
}

interface Bridge {
  openExternal(url: string): Promise<boolean>;
  getBackend(): Promise<{ phase: string; origin: string; problem: { code: string } | null }>;
  saveFile(name: string, bytes: Uint8Array): Promise<boolean>;
  profiles: { save(profile: { id: string; name: string; origin: string; token: string }): Promise<void> };
}
const bridgeOf = (page: Page) => page.evaluateHandle(() => (window as unknown as { svcDesktop: Bridge }).svcDesktop);
const post = (page: Page, path: string, body: object) =>
  page.evaluate(
    async ([to, text]) => {
      const answer = await fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
      return answer.status;
    },
    [path, JSON.stringify(body)] as const,
  );

test('a launch leads to a signed-in console, whose cookie no script can read', async () => {
  const desktop = await launch();
  const readyMs = await desktop.console();
  console.log(`launch to console: ${readyMs.toFixed(0)} ms`);
  const { page, app } = desktop;
  expect(await page.evaluate(async () => (await fetch('/v1/auth/me')).json())).toMatchObject({ name: 'desktop', role: 'admin' });
  expect(await page.evaluate(() => document.cookie)).not.toContain('svc_ui');
  const [cookie] = (await app.context().cookies()).filter(({ name }) => name === 'svc_ui');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', domain: '127.0.0.1' });
  const stranger = await fetch(new URL('/v1/agents', page.url()));
  expect(stranger.status).toBe(401);
  expect(JSON.stringify(await page.evaluate(() => ({ ...localStorage })))).not.toContain('ui_');
});

test('a second launch finds port, key and data of the first', async () => {
  const userData = folder();
  const first = await launch({ userData });
  await first.console();
  const origin = new URL(first.page.url()).origin;
  expect(await post(first.page, '/v1/secrets', { metadata: { name: 's' }, spec: { stringData: { a: 'hidden-value' } } })).toBe(201);
  await first.close();
  const second = await launch({ userData });
  await second.console();
  expect(new URL(second.page.url()).origin).toBe(origin);
  expect(await second.page.evaluate(async () => (await fetch('/v1/secrets/s')).status)).toBe(200);
  expect(readFileSync(join(userData, 'desktop.json'), 'utf8')).toContain('sealedKey');
  expect(readFileSync(join(userData, 'server', 'svc.db')).includes('hidden-value')).toBe(false);
});

test('a killed server is back within three seconds, and the page is live again without a reload', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page } = desktop;
  await page.evaluate(() => Object.assign(window, { marked: true }));
  const killed = performance.now();
  const pid = await desktop.state(({ server }) => (process.kill(server.pid, 'SIGKILL'), server.pid));
  await expect.poll(() => desktop.state(({ server }) => server.pid), { timeout: 15_000 }).not.toBe(pid);
  await expect
    .poll(() => page.evaluate(async () => (await fetch('/v1/agents').catch(() => undefined))?.status ?? 0), { timeout: 15_000 })
    .toBe(200);
  console.log(`crash to answers: ${(performance.now() - killed).toFixed(0)} ms`);
  expect(await page.evaluate(() => (window as unknown as { marked?: boolean }).marked)).toBe(true);
});

test('a server that cannot start leaves the boot page with advice, accessible in both themes', async () => {
  const userData = folder();
  mkdirSync(join(userData, 'server'), { recursive: true });
  writeFileSync(join(userData, 'server', 'svc.db'), 'no database '.repeat(500));
  const { page, state } = await launch({ userData });
  await expect(page.getByRole('heading')).toHaveText('The server did not start');
  await expect(page.getByRole('alert')).toContainText('damaged');
  await expect(page.getByRole('alert')).toContainText('Restore the data directory from a backup');
  await page.getByText('Last lines of the log').click();
  await expect(page.getByRole('region', { name: 'Log' })).toContainText('damaged');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await violationsIn(page);
    expect(violations.map(({ id }) => id)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Open logs' }).click();
  await expect.poll(() => state(({ opened }) => opened)).toEqual([join(userData, 'logs')]);
  rmSync(join(userData, 'server', 'svc.db'));
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.waitForURL(/^http:\/\/127/);
});

test('a server that hangs, as on a dead mount, is reported after ten seconds, and the console opens once it answers', async () => {
  const { page, state } = await launch();
  await expect.poll(() => state(({ server }) => server?.pid ?? 0)).toBeGreaterThan(0);
  const pid = await state(({ server }) => server.pid);
  process.kill(pid, 'SIGSTOP');
  await expect(page.getByText('Check whether the disk or mount of the data directory answers')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'Open logs' })).toBeVisible();
  process.kill(pid, 'SIGCONT');
  await page.waitForURL(/^http:\/\/127/, { timeout: 30_000 });
});

test('a data directory that a headless server owns is shown by that server', async () => {
  const userData = folder();
  const server = await startServerProcess({ dataDir: join(userData, 'server') });
  const { page } = await launch({ userData });
  await page.getByRole('button', { name: 'Use the running server' }).click();
  await page.waitForURL(`${server.url}/**`);
  await server.end();
});

test('a system without a keychain asks before it keeps the key in a file, and the console keeps a warning', async () => {
  const userData = folder();
  const desktop = await launch({ userData, env: { SVC_DOUBLE_KEYCHAIN: 'weak' } });
  const { page } = desktop;
  await expect(page.getByRole('alert')).toContainText('no keychain');
  await page.getByRole('button', { name: 'Keep the key in a file' }).click();
  await desktop.console();
  await expect(page.getByText('The key of your Secrets is in a file')).toBeVisible();
});

test('a keychain that is locked keeps the server down and its key as it is, until it opens', async () => {
  const userData = folder();
  const first = await launch({ userData });
  await first.console();
  await first.close();
  const sealed = readFileSync(join(userData, 'desktop.json'), 'utf8');
  const desktop = await launch({ userData, env: { SVC_DOUBLE_KEYCHAIN: 'locked' } });
  const { page } = desktop;
  await expect(page.getByRole('alert')).toContainText('Unlock the keychain and restart the server.');
  // A file in its place would be another key, which opens nothing.
  await expect(page.getByRole('button', { name: 'Keep the key in a file' })).toBeHidden();
  await page.getByRole('button', { name: 'Restart' }).click();
  await expect(page.getByRole('alert')).toContainText('did not open the key');
  await desktop.state((state) => (state.keychain = 'strong'));
  await page.getByRole('button', { name: 'Restart' }).click();
  await desktop.console();
  const keyOf = (text: string) => (JSON.parse(text) as { sealedKey: string }).sealedKey;
  expect(keyOf(readFileSync(join(userData, 'desktop.json'), 'utf8'))).toBe(keyOf(sealed));
});

test('links open objects in the running app, a second instance hands its link over, and hostile ones do nothing', async () => {
  const userData = folder();
  const desktop = await launch({ userData, args: ['svc://open/default/Task/from-argv'] });
  const { page, app } = desktop;
  await expect(page).toHaveURL(/\/n\/default\/tasks\/from-argv/, { timeout: 20_000 });
  for (const hostile of ['svc://approve/tool/default/q', 'svc://open/..%2F..%2F/Task/x', 'javascript:alert(1)', 'svc://open/a/b/c/d'])
    await app.evaluate(({ app: own }, url) => own.emit('open-url', { preventDefault: () => undefined }, url), hostile);
  await app.evaluate(({ app: own }) => own.emit('open-url', { preventDefault: () => undefined }, 'svc://approvals/tool/team-a/q1'));
  await expect(page).toHaveURL(/\/n\/team-a\/inbox\?item=ToolApproval/);
  const second = spawn(join(import.meta.dirname, 'double', 'electron.sh'), ['svc://open/default/Task/second'], {
    env: { ...process.env, SVC_DOUBLE_USER_DATA: userData },
    stdio: 'ignore',
  });
  const [code] = (await once(second, 'exit')) as [number];
  expect(code).toBe(0);
  await expect(page).toHaveURL(/\/n\/default\/tasks\/second/);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('a link that arrives during a reload is opened by the page that follows', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page, app } = desktop;
  for (const event of ['did-start-navigation', 'did-navigate'] as const) {
    await app.evaluate(({ app: own, BrowserWindow }, name) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as NodeJS.EventEmitter;
      contents.once(name, () => own.emit('open-url', { preventDefault: () => undefined }, `svc://open/default/Task/${name}`));
    }, event);
    await page.reload({ waitUntil: 'commit' });
    await expect(page).toHaveURL(new RegExp(`/n/default/tasks/${event}$`));
  }
});

test('the page that was open is shown by a server that restarts on another port', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page } = desktop;
  const { origin, port } = new URL(page.url());
  await page.goto(`${origin}/n/default/settings?tab=desktop`);
  await desktop.state((state) => process.kill(state.server.pid, 'SIGKILL'));
  const taken = createServer((socket) => socket.destroy());
  await expect(async () => void (await once(taken.listen(Number(port), '127.0.0.1'), 'listening'))).toPass();
  try {
    await expect(page).toHaveURL((url) => url.port !== port && url.protocol === 'http:', { timeout: 20_000 });
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/n/default/settings?tab=desktop');
    await expect(page.getByText('in the keychain of this system', { exact: true })).toBeVisible();
  } finally {
    taken.close();
  }
});

test('pages neither leave the app nor open windows, and dangerous addresses are refused', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page, app, state } = desktop;
  const bridge = await bridgeOf(page);
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'http://plain.example/', 'https://user:pw@host.example/'])
    expect(await bridge.evaluate((api, address) => api.openExternal(address), url)).toBe(false);
  expect(await bridge.evaluate((api) => api.openExternal('https://docs.example/page'))).toBe(true);
  expect(await state(({ opened, confirmed }) => ({ opened, confirmed }))).toEqual({
    opened: ['https://docs.example/page'],
    confirmed: [{ message: 'Open this address in another program?', detail: 'https://docs.example/page' }],
  });
  await state((double) => void (double.answer = false));
  expect(await page.evaluate(() => window.open('https://evil.example/'))).toBeNull();
  const before = page.url();
  await page.evaluate(() => void (location.href = 'http://evil.example/'));
  await expect.poll(() => page.url()).toBe(before);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  const holds = await app.evaluate(({ BrowserWindow }) => {
    let isHeld = true;
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as NodeJS.EventEmitter;
    contents.emit('will-prevent-unload', { preventDefault: () => (isHeld = false) });
    return isHeld;
  });
  expect(holds, 'a page can keep the window from a reload, a close or a quit').toBe(false);
  const guards = await app.evaluate(({ session }) => {
    const own = session.fromPartition('persist:svc') as unknown as {
      onRequest: (contents: object, permission: string, decide: (allowed: boolean) => void, details: object) => void;
      onDevice: () => boolean;
    };
    const answers: Record<string, boolean> = { device: own.onDevice() };
    for (const permission of ['media', 'geolocation', 'notifications'])
      own.onRequest({ getURL: () => '' }, permission, (allowed) => (answers[permission] = allowed), {
        requestingUrl: 'http://evil.example/',
      });
    return answers;
  });
  expect(guards).toEqual({ device: false, media: false, geolocation: false, notifications: false });
});

test('an approval is notified and counted, and cancelled once decided', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page, state } = desktop;
  await desktop.app.evaluate(({ BrowserWindow }) => void Object.assign(BrowserWindow.getAllWindows()[0] ?? {}, { focused: false }));
  await post(page, '/v1/tools', {
    metadata: { name: 'lookup' },
    spec: { type: 'http', endpoint: 'https://t.example/', risk_level: 'low' },
  });
  await post(page, '/v1/tool-approvals', {
    metadata: { name: 'q1' },
    spec: { task_ref: 'bill', tool: 'lookup', agent: 'clerk', input: '{"secret":1}' },
  });
  await expect
    .poll(() => state(({ notifications }) => notifications.map(({ options }) => options.title)))
    .toEqual(['clerk wants to call lookup']);
  await expect
    .poll(() => state(({ badge, tray }) => [badge, tray.tooltip]))
    .toEqual([1, 'Svc Desktop: nothing is running, 1 approval waits']);
  await state(({ notifications }) => void notifications[0]?.emit('click'));
  await expect(page).toHaveURL(/inbox\?item=ToolApproval/);
  expect(await post(page, '/v1/tool-approvals/q1/approve', {})).toBe(200);
  await expect.poll(() => state(({ notifications, badge }) => [notifications.length, badge])).toEqual([0, 0]);
});

test('settings of the app are kept in the app, and the page saves files through it', async () => {
  const userData = folder();
  const desktop = await launch({ userData });
  await desktop.console();
  const { page } = desktop;
  await page.goto(`${new URL(page.url()).origin}/n/default/settings?tab=desktop`);
  await page.getByRole('switch', { name: 'Run in the background' }).click();
  await expect.poll(() => readFileSync(join(userData, 'desktop.json'), 'utf8')).toContain('"background": true');
  await expect(page.getByText('in the keychain of this system', { exact: true })).toBeVisible();
  const violations = await violationsIn(page);
  expect(violations.map(({ id }) => id)).toEqual([]);
  const target = join(userData, 'saved.txt');
  await desktop.app.evaluate((electron, path) => {
    (electron as unknown as { double: { state: { target?: string } } }).double.state.target = path;
  }, target);
  const bridge = await bridgeOf(page);
  expect(await bridge.evaluate((api) => api.saveFile('../../x.txt', new TextEncoder().encode('content')))).toBe(true);
  const refusal = await bridge.evaluate((api) => api.openExternal('x'.repeat(5_000)).then(String, (error: Error) => error.message));
  expect(refusal).toMatch(/^svc:open-external: /);
  expect(readFileSync(target, 'utf8')).toBe('content');
  // Closing the window keeps the app running now.
  expect(
    await desktop.app.evaluate(({ BrowserWindow }) => (BrowserWindow.getAllWindows()[0]?.close(), BrowserWindow.getAllWindows().length)),
  ).toBe(1);
});

test('a second server is added, shown through the gateway, and its problem is reported', async () => {
  const TOKEN = 'token-of-the-remote-admin';
  const remote = await startServerProcess({ env: { SVC_API_TOKENS: `ann:${TOKEN}:admin` } });
  const userData = folder();
  const desktop = await launch({ userData });
  await desktop.console();
  const { page } = desktop;
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/n/default/settings?tab=desktop`);
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Staging EU');
  await dialog.getByLabel('Address').fill(remote.url);
  await dialog.getByLabel('API token').fill('a-wrong-token-0123456789');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByRole('status')).toContainText('does not accept the token');
  await dialog.getByLabel('API token').fill(TOKEN);
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByRole('status')).toContainText('The server answers');
  expect((await violationsIn(page)).map(({ id }) => id)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  expect(readFileSync(join(userData, 'desktop.json'), 'utf8')).not.toContain(TOKEN);

  await page.getByRole('button', { name: 'Show Staging EU' }).click();
  await page.waitForURL(`${origin}/p/staging-eu/**`);
  await expect(page.getByRole('button', { name: 'Server: Staging EU' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Connection to Staging EU: / })).toBeVisible();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const object = { metadata: { name: 'from-elsewhere' }, spec: { provider: 'mock', default_model: 'm' } };
  expect((await fetch(`${remote.url}/v1/model-endpoints`, { method: 'POST', headers, body: JSON.stringify(object) })).status).toBe(201);
  await page.goto(`${origin}/p/staging-eu/n/default/model-endpoints`);
  await expect(page.getByRole('link', { name: 'from-elsewhere' })).toBeVisible();
  const removed = await fetch(`${remote.url}/v1/model-endpoints/from-elsewhere`, { method: 'DELETE', headers });
  expect(removed.status).toBeLessThan(300);
  // Arrives over the WebSocket of the page.
  await expect(page.getByRole('link', { name: 'from-elsewhere' })).toHaveCount(0);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(TOKEN);

  await desktop.app.evaluate(({ app: own }) =>
    own.emit('open-url', { preventDefault: () => undefined }, 'svc://open/default/Task/local-task'),
  );
  await expect(page).toHaveURL(`${origin}/n/default/tasks/local-task`);
  await page.getByRole('button', { name: 'Server: This machine' }).click();
  await remote.end();
  await page
    .getByRole('menuitem', { name: 'Staging EU' })
    .or(page.getByRole('menuitemcheckbox', { name: 'Staging EU' }))
    .click();
  await expect(page.getByRole('heading', { name: 'This server does not answer' })).toBeVisible();
  expect((await violationsIn(page)).map(({ id }) => id)).toEqual([]);
  await page.getByRole('button', { name: 'Show the server of this machine' }).click();
  await page.waitForURL(`${origin}/n/**`);
  await remote.dispose();
});

test('approvals of another server are notified with its name, opened there, and cancelled once decided there', async () => {
  const token = 'token-of-the-remote-admin';
  const remote = await startServerProcess({ env: { SVC_API_TOKENS: `ann:${token}:admin` } });
  const desktop = await launch();
  await desktop.console();
  const { page, state } = desktop;
  await desktop.app.evaluate(({ BrowserWindow }) => void Object.assign(BrowserWindow.getAllWindows()[0] ?? {}, { focused: false }));
  const bridge = await bridgeOf(page);
  await bridge.evaluate((api, profile) => api.profiles.save(profile), { id: 'eu', name: 'Staging EU', origin: remote.url, token });
  const write = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await fetch(`${remote.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBeLessThan(300);
  };
  const spec = { task_ref: 'bill', tool: 'lookup', agent: 'clerk', input: '{}' };
  await write('/v1/tool-approvals', { metadata: { name: 'q1' }, spec });
  const shown = () => state(({ notifications }) => notifications.map(({ options }) => [options.title, options.body]));
  await expect
    .poll(shown, { timeout: 20_000 })
    .toEqual([['clerk wants to call lookup', expect.stringMatching(/^Staging EU · Task bill · expires \S/)]]);
  await expect
    .poll(() => state(({ badge, tray }) => [badge, tray.tooltip]))
    .toEqual([1, 'Svc Desktop: nothing is running, 1 approval waits']);
  await state(({ notifications }) => void notifications[0]?.emit('click'));
  await expect(page).toHaveURL(/\/p\/eu\/n\/default\/inbox\?item=ToolApproval/);
  await write('/v1/tool-approvals/q1/deny', {});
  await expect.poll(() => state(({ notifications, badge }) => [notifications.length, badge])).toEqual([0, 0]);
  await remote.dispose();
});

test('all data is copied, reset and restored from the menu', async () => {
  const userData = folder();
  const desktop = await launch({ userData });
  await desktop.console();
  const { page, state } = desktop;
  const choose = (label: string) =>
    desktop.app.evaluate((electron, wanted) => {
      const { double } = electron as unknown as { double: { state: { menu: { template: MenuEntry[] } } } };
      const items = (entries: MenuEntry[]): MenuEntry[] => entries.flatMap((entry) => [entry, ...items(entry.submenu ?? [])]);
      items(double.state.menu.template)
        .find((entry) => entry.label === wanted)
        ?.click?.();
    }, label);
  const model = { metadata: { name: 'kept' }, spec: { provider: 'mock', default_model: 'm' } };
  // The window shows another page meanwhile.
  const status = () =>
    page.evaluate(async () => (await fetch('/v1/model-endpoints/kept').catch(() => undefined))?.status ?? 0).catch(() => 0);
  expect(await post(page, '/v1/model-endpoints', model)).toBe(201);
  const target = join(userData, 'everything.yaml');
  await desktop.app.evaluate((electron, path) => {
    (electron as unknown as { double: { state: { target?: string } } }).double.state.target = path;
  }, target);
  await choose('Export Everything…');
  await expect.poll(() => existsSync(target) && readFileSync(target, 'utf8'), { timeout: 20_000 }).toContain('name: kept');
  await choose('Back Up Data');
  await expect.poll(() => state(({ opened }) => opened.length), { timeout: 20_000 }).toBe(1);
  const [copy = ''] = await state(({ opened }) => opened);
  await page.waitForURL(/^http:/, { timeout: 20_000 });
  await choose('Reset Data…');
  await expect.poll(() => state(({ confirmed }) => confirmed.at(-1)?.message)).toBe('Reset the data of this app?');
  await expect.poll(status, { timeout: 20_000 }).toBe(404);
  await desktop.app.evaluate(
    (electron, path) => {
      (electron as unknown as { double: { state: { pick?: string[] } } }).double.state.pick = [path];
    },
    join(copy, 'svc.db'),
  );
  await choose('Restore a Copy…');
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
  expect(await state(({ picking }) => picking)).toEqual(['openFile']);
  expect(readdirSync(join(userData, 'backups'))).toHaveLength(3);
});

test('a bundle file opens in the review of the import, at the start and in the running app', async () => {
  const path = join(folder(), 'support.svcbundle');
  writeFileSync(path, 'kind: Bundle\n');
  const desktop = await launch({ args: [path] });
  const { page } = desktop;
  const refused = page.getByRole('heading', { name: 'This file cannot be imported' });
  await expect(refused).toBeVisible({ timeout: 20_000 });
  await expect(page).toHaveURL(/\/n\/default\/bundle/);
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(refused).toBeHidden();
  await desktop.app.evaluate(({ app: own }, file) => own.emit('open-file', { preventDefault: () => undefined }, file), path);
  await expect(refused).toBeVisible();
});

test('work that the tray paused is shown on every page and resumed there, and limits hold after its restart', async () => {
  const desktop = await launch();
  await desktop.console();
  const { page } = desktop;
  const labels = () =>
    desktop.state(({ tray }) => (tray as unknown as { menu: { template: MenuEntry[] } }).menu.template.map(({ label }) => label));
  /** Chooses an entry, once the menu has it: each change of the state makes another menu. */
  const tray = async (wanted: string) => {
    await expect.poll(labels).toContain(wanted);
    await desktop.app.evaluate((electron, label) => {
      const { double } = electron as unknown as { double: { state: { tray: { menu: { template: MenuEntry[] } } } } };
      double.state.tray.menu.template.find((each) => each.label === label)?.click?.();
    }, wanted);
  };
  const banner = page.getByText(/^Work is paused/);
  await tray('Pause Work');
  await expect(banner).toBeVisible();
  await tray('Resume Work');
  await expect(banner).toBeHidden();
  await tray('Pause Work');
  await page.getByRole('button', { name: 'Resume work' }).click();
  await expect(banner).toBeHidden();
  await expect.poll(labels).not.toContain('Resume Work');

  await page.goto(new URL('/n/default/settings?tab=desktop', page.url()).href);
  const pause = page.getByRole('switch', { name: 'Pause work' });
  await pause.click();
  await expect(banner).toBeVisible();
  await pause.click();
  await expect(banner).toBeHidden();
  const limit = page.getByLabel('Runs at once');
  await limit.fill('0');
  await expect(page.getByRole('button', { name: 'Save and restart' })).toHaveAttribute('aria-disabled', 'true');
  await limit.fill('3');
  await page.getByLabel('Memory of a container, in MiB').fill('15');
  await expect(page.getByRole('button', { name: 'Save and restart' })).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Memory of a container, in MiB').fill('512');
  await page.getByLabel('Processors of a container').fill('0.5');
  await page.getByRole('button', { name: 'Save and restart' }).click();
  const slots = () => page.evaluate(async () => (await fetch('/v1/workers')).text()).catch(() => '');
  await expect.poll(slots, { timeout: 30_000 }).toContain('"max_concurrent_tasks":3');
  await expect(limit).toHaveValue('3', { timeout: 20_000 });
  await expect(page.getByLabel('Processors of a container')).toHaveValue('0.5');
  const saved = JSON.parse(readFileSync(join(desktop.userData, 'desktop.json'), 'utf8')) as object;
  expect(saved).toMatchObject({ maxConcurrentTasks: 3, containerMemoryMiB: 512, containerCpus: 0.5 });
});
