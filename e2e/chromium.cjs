// The system's Chromium, for tests, benchmarks and the double of Electron. Playwright's own browsers are never downloaded.
'use strict';
const { existsSync } = require('node:fs');

/** Has no windows of its own, starts faster and paints less. */
const HEADLESS_BUILD = '/usr/lib/chromium/chromium-headless-shell';
const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];

/** Path of `SVC_CHROMIUM`, or the first usual one that exists; undefined when there is none. */
const firstOf = (paths) => [process.env.SVC_CHROMIUM, ...paths].find((path) => path && existsSync(path));

/** A browser as users have it, for figures. */
const findChromium = () => firstOf([...WHOLE, HEADLESS_BUILD]);
/** A browser for tests. */
const findTestChromium = () => firstOf([HEADLESS_BUILD, ...WHOLE]);

/** For tests: no page lives long enough to regain the time that optimizing its code takes, a fifth of all. */
const TEST_FLAGS = ['--js-flags=--no-opt --no-maglev'];

module.exports = { findChromium, findTestChromium, TEST_FLAGS };
