import { expect, test } from 'vitest';
import { requireLongTokens, requireSafeAddress } from './safe-address.ts';

const off = { authEnabled: false, allowUnauthenticated: false };
const short = (allowUnauthenticated = false) => ({ problems: ['SVC_API_TOKEN is short'], allowUnauthenticated });
const at = (host: string) => ({ host, port: 0 });

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])('address %s needs no token', (host) => {
  expect(() => requireSafeAddress(at(host), off)).not.toThrow();
  expect(requireLongTokens(at(host), short())).toEqual(['SVC_API_TOKEN is short']);
});

test.each(['0.0.0.0', '::', '10.0.0.1', '127.attacker.example', 'localhost.example'])('address %s needs a token of full length', (host) => {
  expect(() => requireSafeAddress(at(host), off)).toThrow('--allow-unauthenticated');
  expect(() => requireSafeAddress(at(host), { ...off, authEnabled: true })).not.toThrow();
  expect(() => requireLongTokens(at(host), short())).toThrow(`SVC_API_TOKEN is short, and --addr ${host} is reachable`);
  expect(requireLongTokens(at(host), { problems: [], allowUnauthenticated: false })).toEqual([]);
  expect(requireLongTokens(at(host), short(true))).toEqual(['SVC_API_TOKEN is short']);
});
