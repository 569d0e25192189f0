// End-to-end tests in a real browser against real servers: e2e/web. Chromium is the system's; nothing is downloaded.
import { defineConfig, devices } from '@playwright/test';
import { browserPath } from './e2e/browser.ts';

const executablePath = browserPath();

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'e2e/results/artefacts',
  // Each worker has a browser and servers of its own, and no test takes times: those are of the benchmarks (bench/ui).
  workers: 2,
  fullyParallel: false,
  // A second try tells a flaky test from a broken one. Either fails the build.
  retries: process.env.CI ? 1 : 0,
  failOnFlakyTests: Boolean(process.env.CI),
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json', { outputFile: 'e2e/results/report.json' }]],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    // A page can be looked at in the trace as it was at each step; pictures of it all the time would cost every test that passes.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    },
  },
  projects: [{ name: 'web', testMatch: 'web/**/*.spec.ts' }],
});
