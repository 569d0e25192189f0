// The unpackaged app on a real Electron binary. Skipped without one; scripts/e2e.mjs and `npm run verify:electron` report that.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchDesktop } from '../shell/launch.ts';

/** As scripts/electron-binary.mjs finds it: the package itself is never loaded. */
function electronBinary(): string | undefined {
  const named = process.env['SVC_ELECTRON_PATH'];
  if (named) return existsSync(named) ? named : undefined;
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
}

const binary = electronBinary();
test.skip(binary === undefined, 'no Electron binary');

test('launches to a signed-in console in an isolated, sandboxed page', async () => {
  const desktop = await launchDesktop({ binary: binary ?? '' });
  try {
    await desktop.console();
    const { page, app } = desktop;
    expect(await page.evaluate(async () => (await fetch('/v1/auth/me')).json())).toMatchObject({ name: 'desktop' });
    expect(
      await page.evaluate(() => [
        typeof (globalThis as { require?: unknown }).require,
        typeof (globalThis as { process?: unknown }).process,
      ]),
    ).toEqual(['undefined', 'undefined']);
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
      const { contextIsolation, sandbox, nodeIntegration } = contents.getLastWebPreferences();
      return { contextIsolation, sandbox, nodeIntegration };
    });
    expect(preferences).toEqual({ contextIsolation: true, sandbox: true, nodeIntegration: false });
  } finally {
    await desktop.close();
  }
});

test('brings a killed server back under the utility process', async () => {
  const desktop = await launchDesktop({ binary: binary ?? '' });
  try {
    await desktop.console();
    const { page, app } = desktop;
    const pid = await app.evaluate(({ app: own }) => own.getAppMetrics().find(({ serviceName }) => serviceName === 'svcd')?.pid ?? 0);
    process.kill(pid, 'SIGKILL');
    const status = () => page.evaluate(async () => (await fetch('/v1/agents').catch(() => undefined))?.status ?? 0);
    await expect.poll(status).not.toBe(200);
    await expect.poll(status, { timeout: 15_000 }).toBe(200);
  } finally {
    await desktop.close();
  }
});
