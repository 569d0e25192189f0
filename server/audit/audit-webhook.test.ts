// The audit webhook: events reach the receiver signed and at least once, through refusals and restarts.
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { normalizeTaskWebhook } from '@svc/shared/kinds/task-webhook/rules';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { keptLog } from '../testing/background.ts';
import { deliveryProblem } from '../triggers/webhooks/verify.ts';
import { openAuditWebhook, type AuditLog } from './audit-log.ts';
import type { AuditEvent } from './audit-event.ts';
import { AuditSpool } from './audit-spool.ts';

const SECRET = 'audit-secret';
const auth = normalizeTaskWebhook({ task_ref: 't', auth: { secret_ref: 's' } }).auth;

interface Receiver {
  readonly url: string;
  /** Events of accepted requests. */
  readonly received: AuditEvent[];
  status: number;
  readonly problems: unknown[];
}

async function startReceiver(): Promise<Receiver> {
  const receiver = { url: '', received: [] as AuditEvent[], status: 200, problems: [] as unknown[] };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const header = (name: string) => request.headers[name.toLowerCase()] as string | undefined;
      const problem = deliveryProblem({ auth, secret: SECRET }, { header, body }, Date.now());
      if (problem !== undefined) receiver.problems.push(problem);
      if (receiver.status === 200) receiver.received.push(...(JSON.parse(body.toString()) as AuditEvent[]));
      response.writeHead(receiver.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

async function spoolDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-audit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function start({ url }: Receiver, spool: string): Promise<AuditLog> {
  const log = await openAuditWebhook({ url, secret: SECRET, spool }, { log: keptLog().log, clock: systemClock });
  onTestFinished(() => log.close());
  return log;
}

const event = (name: string): AuditEvent => ({
  ...{ timestamp: '2026-01-01T00:00:00.000Z', component: 'auth', action: 'token.create', outcome: 'success' },
  ...{ principal: { name: 'ann', method: 'bearer' }, resource: { kind: 'Token', name } },
});
const namesOf = ({ received }: Receiver) => received.map(({ resource }) => resource.name);

it('sends events in order, signed and each with an id of its own', async () => {
  const receiver = await startReceiver();
  const spool = await spoolDirectory();
  const log = await start(receiver, spool);
  for (let n = 0; n < 300; n += 1) log.write(event(`t${n}`));
  await vi.waitFor(() => expect(namesOf(receiver)).toEqual(Array.from({ length: 300 }, (_each, n) => `t${n}`)), 20_000);
  expect(receiver.problems).toEqual([]);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(300);
  await log.close();
  expect(await readdir(spool)).toEqual([]);
});

it('keeps lines that are written during a cut', async () => {
  const directory = await spoolDirectory();
  const spool = await AuditSpool.open(directory);
  await spool.write(Buffer.from('{"n":1}\n'));
  await Promise.all([spool.cut(), spool.write(Buffer.from('{"n":2}\n'))]);
  await spool.cut();
  const segments = await spool.segments();
  expect(await readdir(directory)).toHaveLength(segments.length);
  const lines = await Promise.all(segments.map((name) => spool.read(name)));
  expect(lines.flat()).toHaveLength(2);
});

it('keeps events on disk while the receiver refuses them, also over a restart', async () => {
  const receiver = await startReceiver();
  const spool = await spoolDirectory();
  receiver.status = 500;
  const first = await start(receiver, spool);
  first.write(event('kept'));
  await first.close();
  expect(receiver.received).toEqual([]);
  expect(await readdir(spool)).toHaveLength(1);
  receiver.status = 200;
  const second = await start(receiver, spool);
  second.write(event('later'));
  await vi.waitFor(() => expect(namesOf(receiver)).toEqual(['kept', 'later']), 20_000);
});

it('takes over the segment of a process that was killed, without its cut line', async () => {
  const receiver = await startReceiver();
  const spool = await spoolDirectory();
  const dead = 2 ** 22 + 1;
  await writeFile(join(spool, `000000000000001-${dead}-x.open`), `${JSON.stringify(event('left'))}\n{"timestamp":"2026`);
  await start(receiver, spool);
  await vi.waitFor(() => expect(namesOf(receiver)).toEqual(['left']), 20_000);
});

it('starts several processes at once on the open segments of killed ones', async () => {
  const directory = await spoolDirectory();
  for (let n = 0; n < 20; n += 1) await writeFile(join(directory, `${n}-999999999-x.open`), '{"a":1}\n');
  const spools = await Promise.all(Array.from({ length: 4 }, () => AuditSpool.open(directory)));
  expect(await spools[0]?.segments()).toHaveLength(20);
});

it('accepts lines however many of its segments another process has sent', async () => {
  const directory = await spoolDirectory();
  const [writer, sender] = [await AuditSpool.open(directory), await AuditSpool.open(directory)];
  const lines = Buffer.alloc(4 * 1024 * 1024, '\n');
  for (let n = 0; n < 70; n += 1) {
    await writer.write(lines);
    for (const segment of await sender.segments()) await sender.remove(segment);
  }
});

it('refuses lines while the directory is full of unsent ones', async () => {
  const directory = await spoolDirectory();
  const old = join(directory, '0-1-x.jsonl');
  await writeFile(old, '');
  await truncate(old, 256 * 1024 * 1024);
  const spool = await AuditSpool.open(directory);
  await expect(spool.write(Buffer.from('{}\n'))).rejects.toThrow('bytes of unsent audit lines');
  await rm(old);
  expect(await spool.write(Buffer.from('{}\n'))).toBe(3);
  await spool.close();
});

it('refuses a spool that cannot be used', async () => {
  const spool = join(await spoolDirectory(), 'file');
  await writeFile(spool, '');
  const options = { log: keptLog().log, clock: systemClock };
  await expect(openAuditWebhook({ url: 'http://127.0.0.1:1/', secret: SECRET, spool }, options)).rejects.toThrow(
    '--audit-spool: cannot use',
  );
});
