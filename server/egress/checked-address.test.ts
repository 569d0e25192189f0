import type { LookupAddress } from 'node:dns';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CallError } from '../engine/ports.ts';
import { checkedAddress, type AddressQuestion } from './checked-address.ts';
import type { Resolve } from './guarded-connector.ts';

const resolving =
  (...addresses: string[]): Resolve =>
  (_, callback) =>
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const ask = (question: Partial<AddressQuestion>) =>
  checkedAddress({
    host: 'tool.test',
    port: 443,
    allowPrivate: false,
    permittedBy: 'the server option --allow-private-tool-endpoints',
    signal: new AbortController().signal,
    ...question,
  });
const failure = (question: Partial<AddressQuestion>) =>
  ask(question).then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as CallError,
  );

describe('permits', () => {
  test.each<[string, Partial<AddressQuestion>, string]>([
    ['a public address', { host: '93.184.216.34' }, '93.184.216.34'],
    ['a public IPv6 address in brackets', { host: '[2606:2800:220:1::1]' }, '2606:2800:220:1::1'],
    ['a name’s one address', { resolve: resolving('93.184.216.34') }, '93.184.216.34'],
    ['the permitted one of a name’s addresses', { resolve: resolving('10.0.0.1', '93.184.216.34') }, '93.184.216.34'],
    ['loopback where private addresses are permitted', { host: '127.0.0.1', allowPrivate: true }, '127.0.0.1'],
    ['a number as the address it is', { host: '2130706433', allowPrivate: true }, '127.0.0.1'],
  ])('%s', async (_, question, address) => {
    expect((await ask(question)).address).toBe(address);
  });

  test('picks the permitted address that accepts a connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const resolve = resolving('127.0.0.2', '127.0.0.1', '::1');
    expect(await ask({ port, allowPrivate: true, resolve })).toEqual({ address: '127.0.0.1', family: 4 });
    server.close();
    await new Promise((done) => server.once('close', done));
    expect(await failure({ port, allowPrivate: true, resolve })).toMatchObject({ code: 'execution_failed', reason: 'connection_refused' });
  });
});

describe('blocks', () => {
  test.each<[string, Partial<AddressQuestion>, string]>([
    ['loopback', { host: '127.0.0.1' }, 'loopback'],
    ['a decimal number', { host: '2130706433' }, 'loopback'],
    ['hex and octal parts', { host: '0x7f.0.0.01' }, 'loopback'],
    ['an IPv4-mapped form', { host: '[::ffff:127.0.0.1]' }, 'loopback'],
    ['a name for a private address', { resolve: resolving('10.1.2.3') }, 'private'],
    ['metadata, whatever is permitted', { host: '169.254.169.254', allowPrivate: true }, 'metadata'],
    ['metadata in a permitted range', { resolve: resolving('100.100.100.200'), allowPrivate: true }, 'metadata'],
    ['a NAT64 form', { host: '64:ff9b::7f00:1', allowPrivate: true }, 'translated'],
    ['unspecified', { host: '0', allowPrivate: true }, 'unspecified'],
  ])('%s', async (_, question, reason) => {
    const error = await failure(question);
    expect(error).toMatchObject({ code: 'egress_blocked', reason, retryable: false });
    expect(error.message).toContain('--allow-private-tool-endpoints');
  });
});

test('a name that does not resolve is typed', async () => {
  const resolve: Resolve = (_, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
  expect(await failure({ resolve })).toMatchObject({ code: 'execution_failed', reason: 'host_not_found', retryable: true });
});

test('an abort ends the wait for a resolver that hangs', async () => {
  const abort = new AbortController();
  const waiting = ask({ resolve: () => undefined, signal: abort.signal });
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});
