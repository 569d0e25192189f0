// A headless Chromium of its own and a connection to it over the DevTools protocol.
'use strict';
const { spawn } = require('node:child_process');
const { EventEmitter } = require('node:events');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { WebSocket } = require('ws');
const { requireChromium } = require('../../chromium.cjs');

const FLAGS = [
  '--headless',
  '--no-startup-window',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-default-apps',
  '--no-first-run',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--no-default-browser-check',
  '--remote-debugging-port=0',
  '--window-size=1440,900',
  ...(process.env.SVC_DOUBLE_FLAGS?.split('\n') ?? []),
];

class Connection extends EventEmitter {
  constructor(socket) {
    super();
    this.setMaxListeners(0);
    this.socket = socket;
    this.waiting = new Map();
    this.lastId = 0;
    socket.on('message', (data) => {
      const { id, result, error, method, params, sessionId } = JSON.parse(data.toString());
      if (id === undefined) return void this.emit('event', { method, params, sessionId });
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    });
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    });
  }
}

/** Starts Chromium and prints its address as Electron does, for Playwright. */
async function startBrowser() {
  const executable = requireChromium();
  const profile = mkdtempSync(join(tmpdir(), 'svc-double-'));
  const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const found = /DevTools listening on (ws:\/\/\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${text.slice(-500)}`)));
  });
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  /** Ends Chromium, waits for it, and removes its profile. */
  const close = async () => {
    const ended = new Promise((resolve) =>
      child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(),
    );
    child.kill('SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  };
  return { address, connection: new Connection(socket), close };
}

module.exports = { startBrowser };
