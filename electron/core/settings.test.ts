// Settings and secrets of the app on disk: whole files, private, kept when they cannot be read; keys that are never replaced.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Profiles } from './profiles.ts';
import { openKey, type Keychain } from './secrets.ts';
import { openSettings, type SettingsStore } from './settings.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-settings-'))));
afterEach(() => rmSync(directory, { recursive: true }));
const path = () => join(directory, 'sub', 'desktop.json');

/** Seals by reversing; `state` makes it weak, locked or absent. */
function keychain(state: 'strong' | 'weak' | 'locked' | 'none' = 'strong'): Keychain {
  const reversed = (text: string) => [...text].reverse().join('');
  return {
    isAvailable: () => state !== 'none',
    backend: () => (state === 'weak' ? 'basic_text' : 'gnome_libsecret'),
    seal: (text) => Buffer.from(reversed(text)),
    open(sealed) {
      if (state === 'locked') throw new Error('locked');
      return reversed(sealed.toString());
    },
  };
}

describe('settings', () => {
  test('have defaults, are written at once, and are private', () => {
    const settings = openSettings(path());
    expect(settings.get()).toMatchObject({
      port: 0,
      theme: 'system',
      updateUrl: null,
      notifications: { enabled: true, background: false },
    });
    settings.update({ port: 4_000 });
    expect(openSettings(path()).get().port).toBe(4_000);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path()}.new`)).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')('keep their content where the system takes only a part of the new one', () => {
    const settings = openSettings(path());
    settings.update({ sealedKey: 'c2VhbGVk' });
    const limitFiles = (bytes: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
    const ignore = () => undefined;
    process.on('SIGXFSZ', ignore);
    limitFiles('64');
    try {
      expect(() => settings.update({ theme: 'dark' })).toThrow('EFBIG');
    } finally {
      limitFiles('unlimited');
      process.off('SIGXFSZ', ignore);
    }
    expect(openSettings(path()).get()).toMatchObject({ sealedKey: 'c2VhbGVk', theme: 'system' });
  });

  test.each(['{ not json', '[]', '{"sealedKey": 1}', ''])('that cannot be read (%s) are set aside, not lost', (text) => {
    openSettings(path()).update({});
    writeFileSync(path(), text);
    const settings = openSettings(path());
    expect(settings.get().port).toBe(0);
    expect(readFileSync(settings.setAside ?? '', 'utf8')).toBe(text);
  });

  test('with a wrong value lose no other field, and the file keeps the value until the field is changed', () => {
    openSettings(path()).update({ sealedKey: 'c2VhbGVk', theme: 'dark' });
    const stored = () => JSON.parse(readFileSync(path(), 'utf8')) as object;
    writeFileSync(path(), JSON.stringify({ ...stored(), updateUrl: 'updates.example/svc', port: 'many' }));
    const settings = openSettings(path());
    expect(settings.get()).toMatchObject({ sealedKey: 'c2VhbGVk', theme: 'dark', updateUrl: null, port: 0 });
    expect([[...settings.refused()].sort(), settings.setAside]).toEqual([['port', 'updateUrl'], undefined]);
    settings.update({ port: 4_000 });
    expect(stored()).toMatchObject({ sealedKey: 'c2VhbGVk', updateUrl: 'updates.example/svc', port: 4_000 });
    expect(openSettings(path()).refused()).toEqual(['updateUrl']);
  });
});

test.each([
  ['https://updates.example/svc', true],
  ['http://127.0.0.1:8080/svc', true],
  ['http://[::1]/svc', true],
  ['http://updates.example/svc', false],
  ['http://127.0.0.1.updates.example/svc', false],
])('updates from %s: %s', (updateUrl, isAllowed) => {
  const file = join(directory, 'desktop.json');
  writeFileSync(file, JSON.stringify({ updateUrl }));
  expect(openSettings(file).get().updateUrl).toBe(isAllowed ? updateUrl : null);
});

describe('the key of Secret values', () => {
  const open = (chain: Keychain, settings: SettingsStore) => openKey({ keychain: chain, settings, keyFile: join(directory, 'key') });

  test('is made once and sealed by the keychain; no file holds it in plain text', () => {
    const first = open(keychain(), openSettings(path()));
    if (first.kind !== 'key') throw new Error('no key');
    expect(first).toMatchObject({ store: 'keychain', key: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(readFileSync(path(), 'utf8')).not.toContain(first.key);
    expect(open(keychain(), openSettings(path()))).toEqual(first);
  });

  test('is not replaced while the keychain refuses it', () => {
    const settings = openSettings(path());
    const first = open(keychain(), settings);
    expect(open(keychain('locked'), settings)).toMatchObject({ kind: 'problem', problem: { code: 'KEYCHAIN' } });
    expect(open(keychain(), openSettings(path()))).toEqual(first);
  });

  test.each(['weak', 'none'] as const)('without a keychain (%s) needs consent to a private file', (state) => {
    const settings = openSettings(path());
    expect(open(keychain(state), settings)).toMatchObject({ kind: 'problem', problem: { code: 'NO_KEYCHAIN' } });
    expect(existsSync(join(directory, 'key'))).toBe(false);
    settings.update({ plaintextKey: true });
    expect(open(keychain(state), settings)).toMatchObject({ kind: 'key', store: 'file' });
    expect(statSync(join(directory, 'key')).mode & 0o777).toBe(0o600);
  });

  test.each(['strong', 'weak'] as const)('is not used while the disk refuses it (%s keychain)', (state) => {
    const settings = openSettings(path());
    settings.update({ plaintextKey: true });
    const inTheWay = state === 'strong' ? `${path()}.new` : join(directory, 'key.new');
    mkdirSync(inTheWay);
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(open(keychain(state), settings)).toMatchObject({ kind: 'problem', problem: { code: 'UNWRITABLE' } });
    settings.remember({ port: 4_711 });
    expect(settings.get().port).toBe(4_711);
    rmSync(inTheWay, { recursive: true });
    const opened = open(keychain(state), settings);
    expect(opened.kind).toBe('key');
    expect(open(keychain(state), openSettings(path()))).toEqual(opened);
  });

  test('is not replaced while settings beside existing data cannot be read, and opens once they can', () => {
    const first = open(keychain(), openSettings(path()));
    const text = readFileSync(path(), 'utf8');
    writeFileSync(path(), text.slice(0, -20));
    const settings = openSettings(path(), { keepUnreadable: true });
    expect(open(keychain(), settings)).toMatchObject({
      kind: 'problem',
      problem: { code: 'SETTINGS', message: `The settings of the app cannot be read: ${path()} (it is no valid JSON)` },
    });
    settings.remember({ port: 4_711 });
    expect(() => settings.update({ theme: 'dark' })).toThrow('not written');
    expect(readFileSync(path(), 'utf8')).toBe(text.slice(0, -20));
    writeFileSync(path(), text);
    expect(open(keychain(), settings)).toEqual(first);
  });

  test('from a file that holds none is refused', () => {
    writeFileSync(join(directory, 'key'), 'nonsense');
    expect(open(keychain(), openSettings(path()))).toMatchObject({ kind: 'problem' });
  });

  test('from an unreadable file are a problem with advice, not a crash', () => {
    mkdirSync(join(directory, 'key'));
    expect(open(keychain(), openSettings(path()))).toMatchObject({
      kind: 'problem',
      problem: { message: expect.stringContaining('EISDIR') },
    });
  });
});

describe('profiles', () => {
  const draft = { id: 'shared', name: 'Shared', origin: 'https://svc.example' };

  function setup(state: Parameters<typeof keychain>[0] = 'strong') {
    const sent: unknown[] = [];
    const settings = openSettings(path());
    const profiles = new Profiles({
      settings,
      keychain: keychain(state),
      onToken: (...token) => void sent.push(token),
      onProfiles: (all) => void sent.push(all.map(({ id, origin }) => `${id} ${origin}`)),
      check: (profile, token) => {
        sent.push(['check', profile, token]);
        return Promise.resolve({ ok: true, state: 'ready', version: '0.1.0', message: 'The server answers' });
      },
    });
    return { profiles, settings, sent };
  }

  test('keep tokens sealed, list none of them, and send them to the server', () => {
    const { profiles, sent } = setup();
    profiles.save({ ...draft, token: 'a-secret-token' });
    expect(profiles.list()).toEqual([{ ...draft, hasToken: true, selected: false }]);
    expect(readFileSync(path(), 'utf8')).not.toContain('a-secret-token');
    profiles.sendTokens();
    expect(sent).toEqual([['shared https://svc.example'], ['shared', 'a-secret-token'], ['shared', 'a-secret-token']]);
  });

  test.each([{ origin: 'https://other.example' }, { fingerprint: 'b'.repeat(64) }, { fingerprint: undefined }])(
    'forget the token when address or pinned certificate differ (%o): it must not go to another server',
    (changes) => {
      const { profiles } = setup();
      const pinned = { ...draft, fingerprint: 'a'.repeat(64) };
      profiles.save({ ...pinned, token: 'a-secret-token' });
      profiles.save({ ...pinned, name: 'Renamed' });
      expect(profiles.list()).toMatchObject([{ name: 'Renamed', hasToken: true }]);
      profiles.save({ ...pinned, ...changes });
      expect(profiles.list()).toMatchObject([{ hasToken: false }]);
    },
  );

  test('are not saved with a token where nothing keeps it secret', () => {
    const { profiles } = setup('weak');
    expect(() => profiles.save({ ...draft, token: 'a-secret-token' })).toThrow('no keychain');
    expect(profiles.list()).toEqual([]);
  });

  test('are selected by id, and deselected with their removal', () => {
    const { profiles, settings } = setup();
    profiles.save(draft);
    expect(() => profiles.select('other')).toThrow('There is no profile "other"');
    profiles.select('shared');
    expect(profiles.home()).toBe('/p/shared/');
    profiles.remove('shared');
    expect(settings.get()).toMatchObject({ profiles: [], selectedProfile: null });
    expect(profiles.home()).toBe('/');
  });

  test('are checked by the server of this app, without the token in the profile', async () => {
    const { profiles, sent } = setup();
    expect(await profiles.test({ ...draft, token: 'x' })).toMatchObject({ ok: true });
    expect(sent).toEqual([['check', draft, 'x']]);
  });
});
