// The units of systemd and the compose file of resources/deploy: systemd's own check, and names of variables that svcd reads.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeFlags } from '../config.ts';
import { clientAddress, parseTrustedProxies } from '../http/gate/client-address.ts';

const deploy = join(import.meta.dirname, '../../resources/deploy');
const flags = describeFlags();
/** Read beside the flags. */
const variablesOf = (program: 'server' | 'worker') => ['SVC_API_TOKENS', ...flags[program].map(({ variable }) => variable)];
const programOf = (name: string) => (name.includes('worker') ? 'worker' : 'server');

const units = readdirSync(join(deploy, 'systemd')).filter((name) => name.endsWith('.service'));
const unitOf = (name: string) => readFileSync(join(deploy, 'systemd', name), 'utf8');

/** Systemd refuses a unit whose program is not installed: it judges the rest with another program. */
function verify(text: string): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-units-'));
  try {
    const path = join(folder, 'svcd.service');
    writeFileSync(path, text.replace(/^(ExecStart=)\S+/m, '$1/bin/true'));
    const { status, stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    if (error) throw error;
    return { status, output: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const hasSystemd = Boolean(process.env['CI']) || spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasSystemd) process.stderr.write('SKIPPED the check of the units: no systemd-analyze on this machine (apt-get install systemd)\n');

test.skipIf(!hasSystemd).each(units)('systemd takes %s, and refuses it with a misspelled key', (name) => {
  const text = unitOf(name);
  expect(verify(text)).toEqual({ status: 0, output: '' });
  expect(verify(text.replace('ProtectSystem=', 'ProtectSystm=')).output).toContain('ProtectSystm');
});

test.each(units)('%s sets variables that svcd reads, and names no secret', (name) => {
  const set = [...unitOf(name).matchAll(/^Environment=(.*)$/gm)].flatMap(([, assignments = '']) => assignments.split(' '));
  const names = set.map((each) => each.split('=')[0] ?? '').filter((each) => each.startsWith('SVC_'));
  expect(names).not.toEqual([]);
  expect(names.filter((each) => !variablesOf(programOf(name)).includes(each))).toEqual([]);
  expect(names.filter((each) => /TOKEN|KEY|DATABASE_URL/.test(each))).toEqual([]);
});

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly string[];
}

test('the compose file sets variables that svcd reads, hardens its programs, and publishes on loopback only', () => {
  const text = readFileSync(join(deploy, 'docker/compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  for (const name of ['server', 'worker'] as const) {
    const { environment = {}, read_only: readOnly, cap_drop: dropped } = services[name] ?? {};
    expect(Object.keys(environment)).toContain('SVC_DATABASE_URL');
    expect(Object.keys(environment).filter((each) => !variablesOf(name).includes(each))).toEqual([]);
    expect([readOnly, dropped]).toEqual([true, ['ALL']]);
  }
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  // Each secret comes from the file .env, and a start without it is refused.
  expect(text).not.toMatch(/(PASSWORD|TOKENS|ENCRYPTION_KEY): (?!['"]?\$\{)/);
});

test('the proxy of the compose file keeps the client addresses of a TLS proxy in front of it', () => {
  const proxy = readFileSync(join(deploy, 'docker/nginx.conf'), 'utf8');
  expect(proxy).toContain('proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;');
  const { services } = parse(readFileSync(join(deploy, 'docker/compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  // Entries of that proxy: the client, then the gateway of the network, which is the peer of a TLS proxy on the host.
  const trusted = parseTrustedProxies([services['server']?.environment?.['SVC_TRUSTED_PROXIES'] ?? '']);
  expect(clientAddress('172.31.250.5', '203.0.113.7, 172.31.250.1', trusted)).toBe('203.0.113.7');
});
