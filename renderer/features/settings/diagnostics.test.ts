import { expect, onTestFinished, test, vi } from 'vitest';
import { diagnosticsOf, redactedPath } from './diagnostics.ts';

test('addresses omit namespaces, names and search text', () => {
  expect(redactedPath('http://host:1/n/secret-team/tasks/payroll?q=anna')).toBe('/n/…/tasks/…');
  expect(redactedPath('http://host:1/welcome?ns=secret-team')).toBe('/welcome');
});

test('addresses under a base path omit the namespace too', async () => {
  document.head.innerHTML = '<meta name="base-path" content="/svc">';
  vi.resetModules();
  // Files share a worker: modules of the next one must not keep the prefix.
  onTestFinished(() => void vi.resetModules());
  const fresh = await import('./diagnostics.ts');
  document.head.innerHTML = '';
  expect(fresh.redactedPath('http://host:1/svc/n/secret-team/tasks/payroll')).toBe('/n/…/tasks/…');
});

test('the bundle reports the state and names no object', () => {
  const bundle = diagnosticsOf({
    version: '1.0.0',
    build: 'abc',
    authEnabled: true,
    role: 'admin',
    capabilities: [{ id: 'tasks', enabled: true, source: 'build' }],
    address: 'http://host:1/n/secret-team/settings?token=nope',
    userAgent: 'test',
  });
  expect(bundle).toMatchObject({ version: '1.0.0', page: '/n/…/settings', capabilities: [{ id: 'tasks', enabled: true }] });
  expect(JSON.stringify(bundle)).not.toMatch(/secret-team|nope/);
});
