import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';

const PAGE = `<!doctype html><script type="module" nonce="__CSP_NONCE__" src="/assets/app-Ab1.js"></script><meta name="csp" content="__CSP_NONCE__">`;
const SCRIPT = 'console.log("the console");'.repeat(20);
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let root: string;
let uiDir: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-ui-'));
  uiDir = join(root, 'renderer');
  mkdirSync(join(uiDir, 'assets'), { recursive: true });
  mkdirSync(join(uiDir, '.vite'));
  writeFileSync(join(uiDir, 'index.html'), PAGE);
  writeFileSync(join(uiDir, 'assets/app-Ab1.js'), SCRIPT);
  writeFileSync(join(uiDir, 'assets/app-Ab1.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(uiDir, 'assets/style-Cd2.css'), 'body{}');
  writeFileSync(join(uiDir, 'assets/inter-Ef3.woff2'), Buffer.from([0x77, 0x4f, 0x46, 0x32, 0xff]));
  writeFileSync(join(uiDir, 'favicon.svg'), '<svg/>');
  writeFileSync(join(uiDir, '.vite/manifest.json'), '{}');
  writeFileSync(join(root, 'secret.txt'), 'secret');
  symlinkSync(join(root, 'secret.txt'), join(uiDir, 'assets/link.txt'));
});
afterAll(() => rmSync(root, { recursive: true }));

const open: HttpFixture[] = [];
async function start(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture({ uiDir, ...options });
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

const policyOf = (nonce: string, socket: string) =>
  `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; ` +
  `connect-src 'self'${socket}; worker-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; ` +
  `require-trusted-types-for 'script'; trusted-types 'none'`;

const RELATIVE_PAGE = `<!doctype html><meta name="base-path" content="__BASE_PATH__"><script src="./assets/app-Ab1.js"></script><link rel="icon" href="./favicon.svg"><a href="./docs">x</a>`;

describe('the page', () => {
  test.each([
    [undefined, ''],
    ['/svc', '/svc'],
  ])('names its files below the path prefix %s, at any depth', async (basePath, prefix) => {
    const dir = join(root, `relative${prefix.replace('/', '-')}`);
    mkdirSync(dir);
    writeFileSync(join(dir, 'index.html'), RELATIVE_PAGE);
    const http = await start({ uiDir: dir, basePath });
    for (const path of [`${prefix}/`, `${prefix}/n/default/agents`, '/n/default/agents'])
      expect((await http.send('GET', path, { headers: HTML })).text).toBe(
        `<!doctype html><meta name="base-path" content="${prefix}"><script src="${prefix}/assets/app-Ab1.js"></script><link rel="icon" href="${prefix}/favicon.svg"><a href="${prefix}/docs">x</a>`,
      );
  });

  test('has a new nonce each time, under a policy that runs only its own files', async () => {
    const http = await start();
    const nonces = new Set<string>();
    for (const path of ['/', '/', '/n/default/agents', '/n/-/tasks/my.task?tab=yaml', '/index.html']) {
      const answer = await http.send('GET', path, { headers: HTML });
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(answer.text) ?? [];
      expect(answer.text).toBe(PAGE.replaceAll('__CSP_NONCE__', nonce));
      expect(answer).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policyOf(nonce, ` ws://${new URL(http.url).host}`),
          'cache-control': 'no-store',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
        },
      });
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(5);
  });

  test('lets the browser connect to the host it asked, over TLS where the page came so', async () => {
    const http = await start({ publicUrl: 'https://svc.example' });
    const policy = async (host: string) =>
      String((await http.send('GET', '/', { headers: { host } })).headers['content-security-policy']).split('; ')[5];
    expect(await policy('svc.example')).toBe("connect-src 'self' wss://svc.example");
    expect(await policy('localhost:8443')).toBe("connect-src 'self' wss://localhost:8443");
    expect(await policy('[::1]:8443')).toBe("connect-src 'self'");
  });

  test('takes nothing into its policy that a Host header smuggles in', async () => {
    const http = await start({ apiKey: 'key' });
    const { hostname, port } = new URL(http.url);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write("GET / HTTP/1.1\r\nHost: x; script-src 'unsafe-inline' *\r\nConnection: close\r\n\r\n"),
      );
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
    });
    expect(text).toContain('HTTP/1.1 200');
    expect(text).toContain("connect-src 'self';");
    expect(text).not.toContain('unsafe-inline');
  });

  test('is for navigations: what a page or a program fetches gets the error of the API', async () => {
    const http = await start();
    expect((await http.send('GET', '/')).status).toBe(200);
    expect((await http.send('GET', '/', { headers: { accept: '*/*' } })).status).toBe(200);
    for (const [path, accept] of [
      ['/', 'application/json'],
      ['/n/default/agents', '*/*'],
      ['/n/default/agents', 'application/json'],
    ] as const)
      expect(await http.send('GET', path, { headers: { accept } })).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  test.each([
    '/v1',
    '/v1/unknown',
    '/v1/agents/a/b/c',
    '/a2a/x',
    '/trpc/nothing',
    '/ws',
    '/p/x/',
    '/.well-known/agent-card.json',
    '/healthz/x',
    '/readyz/x',
    '/livez',
    '/metrics/x',
    '/openapi.json/x',
    '/docs/x',
    '/assets/',
    '/assets/gone-Zz9.js',
  ])('is not served at %s', async (path) => {
    const http = await start();
    const answer = await http.send('GET', path, { headers: HTML });
    expect(answer.headers['content-type']).not.toContain('text/html');
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test('needs no token, nor do its files; the API does', async () => {
    const http = await start({ apiKey: 'key' });
    expect((await http.send('GET', '/', { headers: { ...HTML, cookie: 'svc_session=stale' } })).status).toBe(200);
    expect((await http.send('GET', '/assets/app-Ab1.js')).status).toBe(200);
    expect((await http.send('GET', '/v1/agents', { headers: HTML })).status).toBe(401);
  });

  test('the page is refused under another host name while authentication is off', async () => {
    const http = await start();
    for (const path of ['/', '/assets/app-Ab1.js', '/n/default'])
      expect((await http.send('GET', path, { headers: { ...HTML, host: 'rebound.example' } })).status).toBe(403);
  });

  test('answers HEAD like GET, OPTIONS with what is allowed, and other methods 405', async () => {
    const http = await start();
    for (const path of ['/', '/n/default/agents', '/assets/app-Ab1.js']) {
      const [get, head] = [await http.send('GET', path, { headers: HTML }), await http.send('HEAD', path, { headers: HTML })];
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(await http.send('POST', path, { headers: HTML })).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, OPTIONS' },
        body: { error: { code: 'method_not_allowed' } },
      });
      expect((await http.send('OPTIONS', path, { headers: HTML })).status).toBe(204);
    }
  });
});

describe('files', () => {
  test.each([
    ['/assets/app-Ab1.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/style-Cd2.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/inter-Ef3.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/favicon.svg', 'image/svg+xml', 'public, max-age=3600'],
  ])('%s is %s, to be kept %s', async (path, type, cache) => {
    const http = await start();
    expect((await http.send('GET', `${path}?v=1`)).headers).toMatchObject({ 'content-type': type, 'cache-control': cache });
  });

  test('script files may run as workers that load modules and call the API; other files may do nothing', async () => {
    const http = await start();
    const policy = async (path: string) => (await http.send('GET', path)).headers['content-security-policy'];
    expect(await policy('/assets/app-Ab1.js')).toContain("default-src 'none'; script-src 'self'; connect-src 'self'");
    expect(await policy('/favicon.svg')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test('are sent as brotli to clients that accept it, with a Vary header', async () => {
    const http = await start();
    const get = async (coding?: string) => {
      const headers = coding === undefined ? {} : { 'accept-encoding': coding };
      const response = await fetch(`${http.url}/assets/app-Ab1.js`, { headers: { ...headers, connection: 'close' } });
      return { coding: response.headers.get('content-encoding'), vary: response.headers.get('vary'), text: await response.text() };
    };
    for (const coding of ['br', 'gzip, deflate, br', '*', 'gzip;q=0.5, BR;q=0.1'])
      expect(await get(coding)).toEqual({ coding: 'br', vary: 'Accept-Encoding', text: SCRIPT });
    for (const coding of ['identity', 'gzip', 'br;q=0', 'br; q=0.000, *', 'brotli'])
      expect(await get(coding)).toEqual({ coding: null, vary: 'Accept-Encoding', text: SCRIPT });
    const plain = await http.send('GET', '/assets/style-Cd2.css', { headers: { 'accept-encoding': 'br' } });
    expect(plain.headers).not.toHaveProperty('content-encoding');
  });

  test('vary by origin too where other origins may read', async () => {
    const http = await start({ corsOrigins: ['https://friend.example'] });
    const answer = await http.send('GET', '/assets/app-Ab1.js', { headers: { origin: 'https://friend.example' } });
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
  });

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets\\..\\..\\secret.txt',
    '//etc/passwd',
    '/assets/link.txt',
    '/.vite/manifest.json',
    '/assets/app-Ab1.js.br',
    '/assets/app-Ab1.js%00.txt',
    '/assets',
  ])('%s leads nowhere', async (path) => {
    const http = await start();
    const { hostname, port } = new URL(http.url);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      );
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(text).not.toContain('root:');
  });

  test('files that were deleted since the start are 404', async () => {
    const dir = join(root, 'rebuilt');
    mkdirSync(join(dir, 'assets'), { recursive: true });
    writeFileSync(join(dir, 'index.html'), PAGE);
    writeFileSync(join(dir, 'assets/old-1.js'), '1');
    const http = await start({ uiDir: dir });
    rmSync(join(dir, 'assets/old-1.js'));
    expect(await http.send('GET', '/assets/old-1.js')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});

describe('without a console', () => {
  test('a console that was not built shows build instructions at the root', async () => {
    const http = await start({ uiDir: join(root, 'nowhere') });
    const answer = await http.send('GET', '/', { headers: HTML });
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(answer.text).toContain('npm run build');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await http.send('GET', '/n/default', { headers: HTML })).body).toMatchObject({ error: { code: 'not_found' } });
  });

  test('a server without the console option answers the root like any other unknown path', async () => {
    const http = await startHttpFixture();
    open.push(http);
    expect(await http.send('GET', '/', { headers: HTML })).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});
