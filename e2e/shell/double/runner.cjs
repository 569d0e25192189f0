// Runs out/main/index.js with the double in place of `electron`, and a headless Chromium whose pages are its windows.
'use strict';
const Module = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const root = join(__dirname, '..', '..', '..');
const double = join(__dirname, 'electron.cjs');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === 'electron' ? double : resolve.call(this, request, ...rest);
};
Module.register(pathToFileURL(join(__dirname, 'hooks.mjs')));

const electron = require(double);
// Arguments after the switches of Playwright are the app's own.
process.argv = [
  process.argv[0],
  root,
  ...process.argv.slice(2).filter((each) => !/^--(inspect|remote-debugging-port|no-sandbox)/.test(each)),
];
electron.double.start();
import(pathToFileURL(join(root, 'out', 'main', 'index.js')).href)
  .then(() => electron.double.ready())
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
