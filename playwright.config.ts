// End-to-end tests in a real browser against real servers: e2e/web. Chromium is the system's; nothing is downloaded.
import { defineConfig, devices } from '@playwright/test';
import { findTestChromium, requireChromium, TEST_FLAGS } from './e2e/chromium.cjs';
import { useMemoryFolder } from './server/testing/memory-folder.ts';

useMemoryFolder();
const takesPictures = process.env['SVC_SCREENSHOTS'] !== undefined;
/** The headless build sets text wider, and denies notifications until they are granted: pictures show what users see. */
const executablePath = takesPictures ? requireChromium() : findTestChromium();
/** The double of Electron starts a browser of its own. */
process.env['SVC_DOUBLE_FLAGS'] = TEST_FLAGS.join('\n');
if (executablePath !== undefined) process.env['SVC_CHROMIUM'] = executablePath;
/** Specs that run in the window of the desktop app too; `npm run e2e:window` runs all of them there. */
const IN_WINDOW = process.env['SVC_WINDOW'] === 'all' ? '*' : '{approvals,designer-build,sessions}';
const PICTURES = '{shell,web}/pictures.spec.ts';

export default defineConfig<object, { target: 'browser' | 'window' }>({
  testDir: 'e2e',
  globalSetup: './server/testing/no-process-left.ts',
  outputDir: 'e2e/results/artefacts',
  // Each worker has a browser and servers of its own, and no test takes times: those are of the benchmarks (bench/ui).
  workers: 2,
  fullyParallel: false,
  // A second try tells a flaky test from a broken one; scripts/ci.mjs counts both.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json', { outputFile: 'e2e/results/report.json' }]],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    // A pulsing dot alone takes a fifth of a processor, which renders in software. The window of the app shows all motion.
    reducedMotion: 'reduce',
    // Traces of every test took a tenth of the time. Without CI, `npm run e2e -- --trace on FILE` records one.
    trace: { mode: 'on-first-retry', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      // Pages of a site in one process share compiled code; see the context of e2e/web/fixtures.ts.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--process-per-site',
        ...TEST_FLAGS,
      ],
    },
  },
  projects: [
    { name: 'web', testMatch: 'web/**/*.spec.ts', testIgnore: PICTURES },
    {
      name: 'window',
      testMatch: `web/${IN_WINDOW}.spec.ts`,
      testIgnore: PICTURES,
      use: { target: 'window', reducedMotion: 'no-preference' },
    },
    // The built desktop shell on the double of Electron, and on a real binary where there is one. Each test starts an app of its own.
    { name: 'shell', testMatch: ['shell/**/*.spec.ts', 'electron/**/*.spec.ts'], testIgnore: PICTURES, fullyParallel: true },
    // Takes pictures of the docs and tests nothing: run by `npm run screenshots` only.
    ...(takesPictures ? [{ name: 'pictures', testMatch: PICTURES }] : []),
  ],
});
