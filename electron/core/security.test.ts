// Decisions about addresses, permissions and senders, as tables.
import { describe, expect, test } from 'vitest';
import { externalAddress, isAppUrl, mayNavigate, mayUse, senderPage } from './security.ts';

const ORIGIN = 'http://127.0.0.1:4000';

describe('navigation', () => {
  test.each([
    [`${ORIGIN}/`, true],
    [`${ORIGIN}/n/default/tasks?tab=trace#x`, true],
    ['svc-shell://boot/', true],
    ['http://127.0.0.1:4001/', false],
    ['http://127.0.0.1:4000.evil/', false],
    ['http://127.0.0.1:4000@evil/', false],
    ['http://user:pw@127.0.0.1:4000/', false],
    ['http://127.0.0.1:40000/', false],
    ['http://localhost:4000/', false],
    ['https://127.0.0.1:4000/', false],
    ['http://evil.example/http://127.0.0.1:4000/', false],
    ['file:///etc/passwd', false],
    ['data:text/html,<script>1</script>', false],
    ['blob:http://127.0.0.1:4000/1', false],
    ['javascript:alert(1)', false],
    ['svc-shell://other/', false],
    ['svc-shell://boot.evil/', false],
    ['about:blank', false],
    ['', false],
    ['not an address', false],
  ])('to %s is %s', (url, allowed) => {
    expect(mayNavigate(url, ORIGIN)).toBe(allowed);
  });

  test('to a server is refused while none is ready', () => {
    expect(isAppUrl(`${ORIGIN}/`, null)).toBe(false);
  });
});

describe('permissions', () => {
  test.each(['clipboard-sanitized-write', 'notifications', 'fullscreen'])('%s is for pages of the app', (permission) => {
    expect(mayUse(permission, { url: `${ORIGIN}/n/x`, origin: ORIGIN })).toBe(true);
    expect(mayUse(permission, { url: 'http://evil.example/', origin: ORIGIN })).toBe(false);
  });

  test.each([
    'media',
    'geolocation',
    'midi',
    'midiSysex',
    'clipboard-read',
    'hid',
    'serial',
    'usb',
    'openExternal',
    'idle-detection',
    'unknown',
  ])('%s is denied to every page', (permission) => {
    expect(mayUse(permission, { url: `${ORIGIN}/`, origin: ORIGIN })).toBe(false);
  });
});

describe('addresses outside', () => {
  test.each([
    'http://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'ssh://host',
    'svc://open/a/b/c',
    'smb://host/x',
    'https://user:pw@host/',
    `https://a/${'x'.repeat(3_000)}`,
    '',
  ])('%s is refused', (url) => {
    expect(externalAddress(url)).toBeUndefined();
  });

  test.each(['https://docs.example/x', 'https://github.com/a', 'https://xn--pple-43d.example/', 'mailto:a@b.example'])(
    '%s is shown before it opens',
    (url) => expect(externalAddress(url)).toBe(url),
  );
});

test.each([
  [{ url: `${ORIGIN}/n/a`, isMainFrame: true }, 'app'],
  [{ url: 'svc-shell://boot/', isMainFrame: true }, 'boot'],
  [{ url: `${ORIGIN}/n/a`, isMainFrame: false }, undefined],
  [{ url: 'http://evil.example/', isMainFrame: true }, undefined],
  [{ url: '', isMainFrame: true }, undefined],
])('a sender %o is the page %s', (sender, page) => {
  expect(senderPage(sender, ORIGIN)).toBe(page);
});
