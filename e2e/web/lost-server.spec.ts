// A server that dies under an open page and returns: the loss is shown, writes are blocked meanwhile, and no change is missed.
import { freePort } from '../../server/testing/free-port.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';
import { createWorld } from '../world/world.ts';
import { browserOnly, expect, test } from './fixtures.ts';

browserOnly('The app starts its server again by itself, which e2e/shell tests.');

const role = (name: string) => ({ kind: 'AgentRole', metadata: { name }, spec: { permissions: ['ledger.read'] } });

test('a killed server is reported, and changes from before the page recovered are shown', async ({ page, signals }) => {
  // The browser itself logs these for connections that nobody accepts, or that broke with a request on its way.
  signals.allow(
    /ERR_CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED|ERR_INCOMPLETE_CHUNKED_ENCODING/,
  );
  const host = `127.0.0.1:${await freePort()}`;
  const world = await createWorld({ args: ['--addr', host] });
  let again: ServerProcess | undefined;
  try {
    for (const name of ['kept', 'deleted-meanwhile']) await world.call('POST', '/v1/agent-roles', role(name));
    await page.goto(`${world.url}/n/default/agent-roles`);
    const list = page.getByRole('grid', { name: 'Agent roles' });
    await expect(list.getByRole('row', { name: /kept/ })).toBeVisible();
    await expect(page.getByRole('button', { name: /: Live$/ })).toBeVisible();
    // Parts of the page load after its rows: another test covers code that fails to load.
    await page.waitForLoadState('networkidle');
    await world.server.end('SIGKILL');
    await expect(page.getByText(/The server does not answer/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Create' })).toBeDisabled();
    await expect(list.getByRole('row', { name: /kept/ })).toBeVisible();
    again = await startServerProcess({ dataDir: world.server.dataDir, args: ['--addr', host] });
    await world.call('POST', '/v1/agent-roles', role('made-meanwhile'));
    await world.call('DELETE', '/v1/agent-roles/deleted-meanwhile');
    await expect(list.getByRole('row', { name: /made-meanwhile/ })).toBeVisible({ timeout: 30_000 });
    await expect(list.getByRole('row', { name: /deleted-meanwhile/ })).toHaveCount(0);
    await expect(page.getByText(/The server does not answer/)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Create' })).toBeEnabled();
  } finally {
    await again?.end();
    await world.dispose();
  }
});

test('a frozen server is reported although its connections stay open', async ({ page }) => {
  const world = await createWorld();
  try {
    await page.goto(`${world.url}/n/default/agent-roles`);
    await expect(page.getByRole('button', { name: /: Live$/ })).toBeVisible();
    await page.waitForLoadState('networkidle');
    process.kill(world.server.pid, 'SIGSTOP');
    await expect(page.getByText(/The server does not answer/)).toBeVisible({ timeout: 20_000 });
    await expect(page.getByRole('button', { name: 'Create' })).toBeDisabled();
    process.kill(world.server.pid, 'SIGCONT');
    await expect(page.getByRole('button', { name: /: Live$/ })).toBeVisible({ timeout: 30_000 });
    await expect(page.getByRole('button', { name: 'Create' })).toBeEnabled();
    // A reconnected page loads its data again: navigation ends those requests before their server ends.
    await page.goto('about:blank');
  } finally {
    process.kill(world.server.pid, 'SIGCONT');
    await world.dispose();
  }
});
