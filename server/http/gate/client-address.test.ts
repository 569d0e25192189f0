import { expect, test } from 'vitest';
import { clientAddress, parseTrustedProxies } from './client-address.ts';

const trusted = parseTrustedProxies(['10.0.0.0/8', '192.168.1.5', '::1', 'fd00::/8']);

test.each([
  ['1.2.3.4', '9.9.9.9', '1.2.3.4'],
  ['10.1.1.1', '9.9.9.9', '9.9.9.9'],
  ['10.1.1.1', '6.6.6.6, 9.9.9.9, 10.2.2.2', '9.9.9.9'],
  ['::ffff:10.1.1.1', '9.9.9.9', '9.9.9.9'],
  ['192.168.1.5', '2001:db8::1', '2001:db8::1'],
  ['192.168.1.6', '9.9.9.9', '192.168.1.6'],
  ['10.1.1.1', '10.2.2.2', '10.1.1.1'],
  ['10.1.1.1', 'garbage, ,', '10.1.1.1'],
  ['10.1.1.1', undefined, '10.1.1.1'],
  ['::1', '9.9.9.9', '9.9.9.9'],
  ['::ffff:1.2.3.4', undefined, '1.2.3.4'],
  ['', '9.9.9.9', ''],
])('peer %s with X-Forwarded-For %s is %s', (peer, forwardedFor, expected) => {
  expect(clientAddress(peer, forwardedFor, trusted)).toBe(expected);
});

test('nobody is trusted by default', () => {
  expect(clientAddress('127.0.0.1', '9.9.9.9', [])).toBe('127.0.0.1');
});

test.each(['nonsense', '10.0.0.0/99', ''])('the malformed entry %j is named', (entry) => {
  expect(() => parseTrustedProxies([entry])).toThrow(`"${entry}"`);
});
