// Updates from a real feed over HTTP, with the updater of electron-updater for AppImages: newer, older, tampered, absent.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type ClientRequest, type RequestOptions, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppUpdater } from 'electron-updater';
import { adaptUpdater } from './adapt-updater.ts';
import { Updates } from './core/updates.ts';

const require = createRequire(import.meta.url);
const { AppImageUpdater } = require('electron-updater') as { AppImageUpdater: new (options: object, app: object) => AppUpdater };
interface Download {
  readonly headers?: object;
  readonly cancellationToken: {
    createPromise<T>(work: (...callbacks: [(value: T) => void, (error: Error) => void, () => void]) => void): Promise<T>;
  };
}
interface Executor {
  doDownload(request: object, download: object, redirects: number): void;
}
const runtime = createRequire(require.resolve('electron-updater'))('builder-util-runtime') as {
  readonly HttpExecutor: new () => Executor;
  configureRequestUrl(url: URL, request: object): void;
  configureRequestOptions(request: object): void;
};

/** Requests of the updater over Node, in place of Chromium's network. */
class NodeExecutor extends runtime.HttpExecutor {
  createRequest(options: RequestOptions, callback: (response: unknown) => void): ClientRequest {
    return request(options, callback);
  }

  download(url: URL, destination: string, options: Download): Promise<string> {
    return options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const asked = { headers: options.headers };
      runtime.configureRequestUrl(url, asked);
      runtime.configureRequestOptions(asked);
      const callback = (error?: Error | null) => (error ? reject(error) : resolve(destination));
      this.doDownload(asked, { destination, options, onCancel, callback, responseHandler: null }, 0);
    });
  }
}

const APP = Buffer.from('#!/bin/sh\nexit 0\n'.padEnd(200_000, ' '));
let directory: string;
let feed: Server;
let files: Map<string, Buffer>;
let installed: number;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-update-'));
  installed = 0;
  files = new Map();
  feed = createServer((incoming, response) => {
    const file = files.get(new URL(incoming.url ?? '/', 'http://feed').pathname);
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 }).end(file);
  }).listen(0, '127.0.0.1');
  await once(feed, 'listening');
  process.env['APPIMAGE'] = join(directory, 'svc.AppImage');
});
afterEach(() => {
  feed.close();
  rmSync(directory, { recursive: true, force: true });
});

function publish(version: string, file = APP, digest = createHash('sha512').update(APP).digest('base64')): void {
  const name = `svc-${version}.AppImage`;
  const info = `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${digest}\n    size: ${file.length}\npath: ${name}\nsha512: ${digest}\nreleaseDate: '2026-01-01T00:00:00.000Z'\n`;
  files.set(`/${process.arch === 'arm64' ? 'latest-linux-arm64' : 'latest-linux'}.yml`, Buffer.from(info));
  files.set(`/${name}`, file);
}

function open(runningTasks = 0): Updates {
  const url = `http://127.0.0.1:${(feed.address() as AddressInfo).port}`;
  const config = join(directory, 'app-update.yml');
  writeFileSync(config, `provider: generic\nurl: ${url}\nupdaterCacheDirName: svc-updater\n`);
  const app = {
    version: '1.0.0',
    name: 'svc',
    isPackaged: true,
    appUpdateConfigPath: config,
    userDataPath: directory,
    baseCachePath: directory,
    whenReady: () => Promise.resolve(),
    relaunch: () => undefined,
    quit: () => undefined,
    onQuit: () => undefined,
  };
  const updater = adaptUpdater({ url, channel: 'stable' }, () => {
    const made = new AppImageUpdater({ provider: 'generic', url }, app) as AppUpdater & { httpExecutor: object };
    made.httpExecutor = new NodeExecutor();
    made.logger = null;
    // A delta needs the blocks of a real AppImage.
    made.disableDifferentialDownload = true;
    made.quitAndInstall = () => void (installed += 1);
    return Promise.resolve(made);
  });
  return new Updates({
    updater,
    runningTasks: () => runningTasks,
    approvalShown: () => false,
    backUp: () => Promise.resolve(),
    stopServer: () => Promise.resolve(true),
    startServer: () => undefined,
    onQuitting: () => undefined,
    onState: () => undefined,
  });
}

test('a newer version is offered, downloaded with its checksum, and installed', async () => {
  publish('1.1.0');
  const updates = open();
  expect(await updates.check()).toMatchObject({ phase: 'available', version: '1.1.0' });
  expect(await updates.install()).toMatchObject({ phase: 'installing', version: '1.1.0' });
  expect(installed).toBe(1);
});

test.each(['1.0.0', '0.9.0'])('version %s is not newer', async (version) => {
  publish(version);
  expect(await open().check()).toMatchObject({ phase: 'idle', version: null });
});

test('a file with another checksum is never installed', async () => {
  publish('1.1.0', Buffer.from('tampered'.padEnd(200_000, 'x')));
  const updates = open();
  await updates.check();
  expect(await updates.install()).toMatchObject({ phase: 'failed', message: expect.stringContaining('checksum') as string });
  expect(installed).toBe(0);
});

test('a feed without files fails with a reason, and running tasks block an update', async () => {
  expect(await open().check()).toMatchObject({ phase: 'failed', message: expect.stringContaining('latest-linux') as string });
  publish('1.1.0');
  const updates = open(1);
  await updates.check();
  expect(await updates.install()).toMatchObject({ phase: 'blocked' });
  expect(installed).toBe(0);
});
