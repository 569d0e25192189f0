// Trust of the server beside the desktop app: authorities of the system and of named files, added to those of Node.js.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { trustMachine, type Trust } from './machine-authorities.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-authorities-'));
afterAll(() => rmSync(directory, { recursive: true }));

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
const file = join(directory, 'company.pem');
writeFileSync(file, `Company root\n${pem('company')}\n\n${pem('system')}\n`);

function setup(changes: Trust = {}) {
  const set: (readonly string[])[] = [];
  const trust: Trust = {
    getCACertificates: (type) => [pem('node'), ...(type === 'system' ? [pem('system')] : [])],
    setDefaultCACertificates: (certificates) => void set.push(certificates),
    ...changes,
  };
  return { set, trust };
}

test('adds each authority once', () => {
  const { set, trust } = setup();
  expect(trustMachine({ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: '' }, trust)).toEqual([]);
  expect(set).toEqual([['node', 'system', 'company'].map(pem)]);
});

test('reports a file that cannot be read, and adds the others', () => {
  const { set, trust } = setup();
  const env = { SSL_CERT_FILE: join(directory, 'absent.pem'), NODE_EXTRA_CA_CERTS: file };
  expect(trustMachine(env, trust)).toEqual([expect.stringMatching(/^SSL_CERT_FILE: ENOENT/)]);
  expect(set[0]).toContain(pem('company'));
});

test('leaves the defaults of Node.js where nothing is to add, or where it is older', () => {
  const { set, trust } = setup({ getCACertificates: () => [pem('node')] });
  expect(trustMachine({}, trust)).toEqual([]);
  expect(set).toEqual([]);
  expect(trustMachine({}, {})).toEqual(['this version of Node.js trusts only its own authorities']);
});
