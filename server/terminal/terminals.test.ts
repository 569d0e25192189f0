import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TERMINAL_SOCKET_PATH, type TerminalNotice, type TerminalRequest } from '@svc/shared/api/terminals';
import { systemClock } from '../clock.ts';
import { startTestServer, type TestServer } from '../testing/running-server.ts';
import { TerminalService } from './terminals.ts';

const TOKENS = 'root:root-terminal-token-0000001:admin,other:other-terminal-token-000001:admin,viewer:viewer-terminal-token-0001:reader';
const ROOT = 'root-terminal-token-0000001';
const OTHER = 'other-terminal-token-000001';

const servers: TestServer[] = [];
const sockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(flags: readonly string[] = ['--enable-terminal']): Promise<TestServer> {
  const env = { SVC_API_TOKENS: TOKENS, SVC_SECRET_THING: 'leak', PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', HOME: '/tmp' };
  const server = await startTestServer(flags, env);
  servers.push(server);
  return server;
}

async function call(server: TestServer, name: string, options: { input?: unknown; token?: string } = {}) {
  const { input = {}, token = ROOT } = options;
  const query = name.endsWith('list');
  const response = await fetch(`${server.url}/trpc/${name}`, {
    method: query ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(!query && { body: JSON.stringify(input) }),
  });
  const body = (await response.json()) as any;
  return { status: response.status, data: body.result?.data, message: body.error?.message as string | undefined };
}

const ticketOf = async (server: TestServer, id?: string, token = ROOT): Promise<string> =>
  (await call(server, 'terminals.ticket', { input: { namespace: 'team-a', ...(id !== undefined && { id }) }, token })).data.ticket;

/** A page that shows a terminal and reports all it gets as shown, unless `slow`. */
class Page {
  readonly socket: WebSocket;
  readonly notices: TerminalNotice[] = [];
  text = '';
  bytes = 0;
  closeCode: number | undefined;
  #wake: () => void = () => undefined;

  constructor(server: TestServer, options: { token?: string; slow?: boolean; origin?: string } = {}) {
    const { token = ROOT, slow = false, origin } = options;
    const address = `${server.url.replace('http', 'ws')}${TERMINAL_SOCKET_PATH}`;
    this.socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}`, ...(origin && { origin }) } });
    sockets.push(this.socket);
    this.socket.on('message', (data: Buffer, binary: boolean) => {
      if (binary) {
        this.bytes += data.length;
        if (this.bytes < 1_000_000) this.text += data.toString('utf8');
        if (!slow) this.send({ type: 'shown', bytes: data.length });
      } else this.notices.push(JSON.parse(data.toString()) as TerminalNotice);
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', (code) => {
      this.closeCode = code;
      this.#wake();
    });
  }

  send(request: TerminalRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  async until(fact: (page: this) => boolean): Promise<this> {
    while (!fact(this)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this;
  }

  async open(ticket: string, size = { cols: 80, rows: 24 }): Promise<string> {
    if (this.socket.readyState !== WebSocket.OPEN) await new Promise((resolve) => this.socket.once('open', resolve));
    this.send({ type: 'open', ticket, ...size });
    await this.until(({ notices }) => notices.length > 0);
    const [first] = this.notices;
    return first?.type === 'ready' ? first.id : JSON.stringify(first);
  }

  type(text: string): void {
    this.send({ type: 'input', text });
  }
}

async function opened(server: TestServer, options: ConstructorParameters<typeof Page>[1] = {}) {
  const page = new Page(server, options);
  const id = await page.open(await ticketOf(server, undefined, options.token));
  return { page, id };
}

describe('a terminal', { timeout: 30_000 }, () => {
  test('runs a shell whose environment points at this server and holds none of its secrets', async () => {
    const { page } = await opened(await start());
    page.type(
      'echo "[$SVC_NAMESPACE $SVCCTL_SERVER ${SVC_SECRET_THING:-none} ${SVC_API_TOKENS:-none}]"; command -v svcctl; echo status=$?\n',
    );
    await page.until(({ text }) => /status=\d/.test(text));
    expect(page.text).toMatch(/\[team-a http:\/\/127\.0\.0\.1:\d+ none none\]/);
    expect(page.text).toMatch(/svc-terminal-\w+\/svcctl/);
    expect(page.text).toContain('status=0');
  });

  test('follows its size and carries characters of several bytes', async () => {
    const { page } = await opened(await start());
    page.send({ type: 'resize', cols: 101, rows: 33 });
    page.type('stty size; printf "\\303\\251\\360\\237\\246\\212\\n"\n');
    await page.until(({ text }) => text.includes('33 101') && text.includes('é🦊'));
  });

  test('keeps its output for a page that reloads', async () => {
    const server = await start();
    const { page, id } = await opened(server);
    page.type('echo first-"output"\n');
    await page.until(({ text }) => text.includes('first-output'));
    page.socket.close();
    const again = new Page(server);
    expect(await again.open(await ticketOf(server, id))).toBe(id);
    await again.until(({ text }) => text.includes('first-output'));
    again.type('echo second-"output"\n');
    await again.until(({ text }) => text.includes('second-output'));
    expect((await call(server, 'terminals.list')).data).toMatchObject([{ id, namespace: 'team-a', attached: true }]);
  });

  test('sends 10 MB without a stall, and pauses for a reader that shows nothing', async () => {
    const server = await start();
    const { page } = await opened(server);
    page.type('stty -opost; head -c 10000000 /dev/zero | tr "\\0" x; echo all-"sent"\n');
    await page.until(({ bytes }) => bytes > 10_000_000);
    const slow = (await opened(server, { slow: true })).page;
    slow.type('head -c 10000000 /dev/zero | tr "\\0" y\n');
    await slow.until(({ bytes }) => bytes >= 2 * 1024 * 1024);
    const held = slow.bytes;
    page.type('echo still-"here"\n');
    await page.until(({ bytes }) => bytes > 10_000_000);
    expect(held).toBeLessThan(2.2 * 1024 * 1024);
    slow.send({ type: 'shown', bytes: held });
    await slow.until(({ bytes }) => bytes > held + 100_000);
  });

  test('ends on close, and its token with it', async () => {
    const server = await start();
    const { page, id } = await opened(server);
    page.type('echo token=$SVCCTL_API_TOKEN.\n');
    await page.until(({ text }) => /token=[\w-]{43}\./.test(text));
    const token = /token=([\w-]{43})\./.exec(page.text)?.[1] ?? '';
    const me = () => fetch(`${server.url}/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await me()).json()).toMatchObject({ name: 'root', role: 'admin' });
    await call(server, 'terminals.close', { input: { id } });
    await page.until(({ closeCode }) => closeCode !== undefined);
    expect(page.notices.at(-1)).toMatchObject({ type: 'closed' });
    await expect.poll(async () => (await call(server, 'terminals.list')).data).toEqual([]);
    expect((await me()).status).toBe(401);
  });

  test('ends when the token of its owner is revoked, also without a page', async () => {
    const server = await start();
    const made = await call(server, 'tokens.create', { input: { name: 'guest', role: 'admin' } });
    const { page } = await opened(server, { token: made.data.token });
    page.type('echo pid=$$.\n');
    await page.until(({ text }) => /pid=\d+\./.test(text));
    const pid = Number(/pid=(\d+)\./.exec(page.text)?.[1]);
    page.socket.close();
    await page.until(({ closeCode }) => closeCode !== undefined);
    await call(server, 'tokens.remove', { input: { name: 'guest' } });
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
  });
});

test('a shell that ignores its hang-up loses its token at once when its owner is revoked, and is killed', async () => {
  const events: string[] = [];
  const context = { identity: { method: 'bearer', name: 'guest', role: 'admin' }, requestId: 'r' } as const;
  const caller = { context, signInId: undefined };
  const shell = { file: 'sh', cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
  const kill = (signal: string) => void events.push(signal);
  const idle = () => undefined;
  const spawn = () => ({ pid: 1, write: idle, resize: idle, pause: idle, resume: idle, kill });
  const terminals = new TerminalService({
    ...{ clock: systemClock, onEvent: idle },
    open: () => ({ spawn, shell, release: () => void events.push('token revoked') }),
  });
  let revoke: () => void = idle;
  const { ticket } = terminals.ticket(caller, { namespace: 'default' });
  const viewer = { output: idle, exited: idle, replaced: idle, closed: () => void events.push('closed') };
  const follow = (onEnded: () => void) => {
    revoke = onEnded;
    return idle;
  };
  terminals.attach({ ...{ caller, ticket, viewer, follow }, size: shell.size });
  revoke();
  expect(events).toEqual(['token revoked', 'closed', 'SIGHUP']);
  await expect.poll(() => events).toEqual(['token revoked', 'closed', 'SIGHUP', 'SIGKILL']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a socket of a terminal', { timeout: 30_000 }, () => {
  test('accepts a ticket once, and only from its own caller', async () => {
    const server = await start();
    const ticket = await ticketOf(server);
    expect(await new Page(server, { token: OTHER }).open(ticket)).toContain('unauthorized');
    expect(await new Page(server).open(ticket)).toContain('unauthorized');
    const { id } = await opened(server);
    expect((await call(server, 'terminals.ticket', { input: { namespace: 'x', id }, token: OTHER })).status).toBe(404);
  });

  test('is refused to a page of another origin and to other roles', async () => {
    const server = await start();
    const foreign = new Page(server, { origin: 'https://evil.example' });
    await new Promise((resolve) => foreign.socket.once('unexpected-response', (_, answer) => resolve(expect(answer.statusCode).toBe(403))));
    expect((await call(server, 'terminals.ticket', { input: { namespace: 'x' }, token: 'viewer-terminal-token-0001' })).status).toBe(403);
  });

  test('is closed for a message that no terminal takes', async () => {
    const { page } = await opened(await start());
    page.socket.send('{"type":"resize","cols":0,"rows":1e9}');
    await page.until(({ closeCode }) => closeCode !== undefined);
    expect([page.closeCode, page.notices.at(-1)]).toMatchObject([4403, { type: 'refused', code: 'invalid' }]);
  });

  test('is limited to eight terminals for an owner', async () => {
    const server = await start();
    for (let count = 0; count < 8; count += 1) await opened(server);
    const ninth = await call(server, 'terminals.ticket', { input: { namespace: 'x' } });
    expect([ninth.status, ninth.message]).toEqual([429, 'You have 8 open terminals, which is the limit; close one first']);
  });
});

test('terminals are off without --enable-terminal, also in the capabilities', async () => {
  const server = await start([]);
  expect(await call(server, 'terminals.ticket', { input: { namespace: 'x' } })).toMatchObject({
    status: 409,
    message: 'Terminals are off on this server; it offers them when it starts with --enable-terminal',
  });
  const response = await fetch(`${server.url}/v1/capabilities`, { headers: { authorization: `Bearer ${ROOT}` } });
  expect(JSON.stringify(await response.json())).toContain('"id":"terminal","enabled":false');
});

test('a stop of the server ends every shell', async () => {
  const server = await start();
  const { page } = await opened(server);
  page.type('echo pid=$$.\n');
  await page.until(({ text }) => /pid=\d+\./.test(text));
  const pid = Number(/pid=(\d+)\./.exec(page.text)?.[1]);
  await servers.splice(0)[0]?.stop();
  expect(isAlive(pid)).toBe(false);
});
