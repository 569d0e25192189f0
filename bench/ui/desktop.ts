// The desktop app on the double of Electron: launch, start of its server, a crash until the page is live again, and idle use of processors.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { requireChromium } from '../../e2e/chromium.cjs';
import { launchDesktop, type Desktop } from '../../e2e/shell/launch.ts';
import { cpuMs } from '../process-usage.ts';
import type { Row } from '../row.ts';
import { budget, median } from './probe.ts';

const RUNS = 3;
/** After a start the runtime tidies its heap, at last after about half a minute; idle begins after that. */
const SETTLE_MS = 35_000;
const IDLE_MS = 60_000;

const serverPid = (desktop: Desktop): Promise<number> => desktop.state(({ server }) => server.pid);

/** Milliseconds between the states of the first start, by the times in main.log. */
function readyMs(userData: string): number {
  const at = (phase: string): number => {
    const [, time = ''] = new RegExp(`^(\\S+) server: ${phase}$`, 'm').exec(readFileSync(join(userData, 'logs', 'main.log'), 'utf8')) ?? [];
    return Date.parse(time);
  };
  return at('ready') - at('starting');
}

/** Part of a launch that is the double's own: a Chromium with a profile of its own, up to the first frame of an empty page. */
async function bareStart(): Promise<number> {
  const began = performance.now();
  const browser = await chromium.launch({
    executablePath: requireChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  const ms = performance.now() - began;
  await browser.close();
  return ms;
}

/** From the kill of the server to a page that is live again, without a reload. */
async function crash(desktop: Desktop): Promise<number> {
  const live = desktop.page.getByRole('button', { name: /^Connection to .*: Live/ });
  await live.waitFor();
  process.kill(await serverPid(desktop), 'SIGKILL');
  const began = performance.now();
  await live.waitFor({ state: 'hidden' });
  await live.waitFor();
  return performance.now() - began;
}

async function idle(desktop: Desktop): Promise<{ shell: number; server: number }> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const pids = { shell: desktop.app.process().pid ?? 0, server: await serverPid(desktop) };
  const before = { shell: cpuMs(pids.shell), server: cpuMs(pids.server) };
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const percent = (key: 'shell' | 'server') => ((cpuMs(pids[key]) - before[key]) / IDLE_MS) * 100;
  return { shell: percent('shell'), server: percent('server') };
}

export async function benchDesktop(): Promise<Row[]> {
  const ready: number[] = [];
  const launch = async (): Promise<number> => {
    const userData = mkdtempSync(join(tmpdir(), 'svc-bench-desktop-'));
    const desktop = await launchDesktop({ userData });
    const ms = await desktop.console();
    ready.push(readyMs(userData));
    await desktop.close();
    rmSync(userData, { recursive: true, force: true });
    return ms;
  };
  const launched = await median(RUNS, launch);
  const bare = await median(RUNS, bareStart);
  const desktop = await launchDesktop();
  try {
    await desktop.console();
    const crashed = await median(RUNS, () => crash(desktop));
    const { shell, server } = await idle(desktop);
    const note = `shell ${shell.toFixed(2)}, server with a live page ${server.toFixed(2)}, over ${IDLE_MS / 1000} s`;
    return [
      budget('desktop, launch to console, median of 3', launched, { limit: 2000 }),
      { name: 'desktop, start of a bare Chromium, part of each launch on the double', value: bare, unit: 'ms' },
      budget('desktop, server ready on an empty directory, worst of 3', Math.max(...ready), { limit: 1500 }),
      budget('desktop, crash of the server to a live page, median of 3', crashed, { limit: 3000 }),
      budget('desktop, idle shell and server', shell + server, { unit: '%', limit: 0.5, note }),
    ];
  } finally {
    await desktop.close();
  }
}
