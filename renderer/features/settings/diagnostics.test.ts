import { expect, test } from 'vitest';
import { diagnosticsOf, redactedPath } from './diagnostics.ts';

test('addresses omit namespaces, names and search text', () => {
  expect(redactedPath('http://host:1/n/secret-team/tasks/payroll?q=anna')).toBe('/n/…/tasks/…');
  expect(redactedPath('http://host:1/welcome?ns=secret-team')).toBe('/welcome');
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
