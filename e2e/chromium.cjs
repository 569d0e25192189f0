// The system's Chromium, for tests, benchmarks and the double of Electron. Playwright's own browsers are never downloaded.
'use strict';
const { existsSync } = require('node:fs');

/** Has no windows of its own, starts faster and paints less. */
const HEADLESS_BUILD = '/usr/lib/chromium/chromium-headless-shell';
const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];

const firstOf = (paths) => [process.env.SVC_CHROMIUM, ...paths].find((path) => path && existsSync(path));

const findTestChromium = () => firstOf([HEADLESS_BUILD, ...WHOLE]);

function requireChromium() {
  const path = firstOf([...WHOLE, HEADLESS_BUILD]);
  if (path) return path;
  throw new Error('No Chromium was found: install one (Debian: apt-get install chromium), or name it with SVC_CHROMIUM=/path/to/chromium.');
}

const TEST_FLAGS = ['--js-flags=--no-opt --no-maglev'];

module.exports = { findTestChromium, requireChromium, TEST_FLAGS };
