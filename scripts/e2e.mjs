// Runs the browser tests where a Chromium is, and says aloud where none is. Under CI a missing browser is a failure: there nothing may be skipped.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTestChromium } from '../e2e/chromium.cjs';
import { electronBinary } from './electron-binary.mjs';

// Takes the pictures of the docs again; see e2e/web/barriers.ts.
const shows = process.argv.includes('--screenshots');
// Runs the console's tests in the window of the desktop app, all of them; see playwright.config.ts.
const inWindow = process.argv.includes('--window');
const env = { ...process.env, ...(shows && { SVC_SCREENSHOTS: '1' }), ...(inWindow && { SVC_WINDOW: 'all' }) };
const named = process.argv.slice(2).filter((arg) => arg !== '--screenshots' && arg !== '--window');
const args = inWindow ? ['--project=window', ...named] : named;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (electronBinary() === undefined)
  console.error(
    'SKIPPED: the tests of a real Electron binary (e2e/electron), because none was found; `npm run verify:electron` lists what they leave open.',
  );

if (findTestChromium() === undefined) {
  console.error('\nSKIPPED: the browser tests (e2e) did not run, because no Chromium was found.');
  console.error('Install one (Debian: apt-get install chromium-headless-shell) or name it with SVC_CHROMIUM=/path/to/chromium.\n');
  process.exit(process.env.CI ? 1 : 0);
}
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...args], {
  cwd: root,
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
