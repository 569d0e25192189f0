import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox, parseSecretKey } from './secret-box.ts';

const key = randomBytes(32);
const identity = { namespace: 'default', name: 'db', key: 'password' };

describe('parseSecretKey', () => {
  it.each([
    ['64 hex digits', key.toString('hex')],
    ['upper-case hex', key.toString('hex').toUpperCase()],
    ['44 base64 characters', key.toString('base64')],
    ['surrounding white space', ` ${key.toString('base64')}\n`],
  ])('reads %s', (_form, text) => {
    expect(parseSecretKey(text)).toEqual(key);
  });

  it.each(['', 'short', 'g'.repeat(64), key.toString('hex').slice(1), `${key.toString('base64').slice(0, 43)}!`])(
    'refuses %j with the accepted forms and without repeating it',
    (text) => {
      const attempt = () => parseSecretKey(text);
      expect(attempt).toThrow(/64 hex digits or 44 base64 characters/);
      if (text) expect(attempt).not.toThrow(new RegExp(text.replaceAll(/[+/]/g, '.')));
    },
  );
});

describe('a box with a key', () => {
  const box = createSecretBox(key.toString('hex'));

  it('opens what it sealed', () => {
    const sealed = box.seal(identity, 'c2VjcmV0');
    expect(sealed).not.toContain('c2VjcmV0');
    expect(box.open(identity, sealed)).toBe('c2VjcmV0');
  });

  it('seals the same value differently each time', () => {
    expect(box.seal(identity, 'c2VjcmV0')).not.toBe(box.seal(identity, 'c2VjcmV0'));
  });

  it('names its key in the envelope without showing it', () => {
    const sealed = box.seal(identity, 'c2VjcmV0');
    expect(sealed).toContain(box.keyId);
    expect(key.toString('hex')).not.toContain(box.keyId);
  });

  it('refuses plaintext, which somebody with the database could have planted', () => {
    expect(() => box.open(identity, 'c2VjcmV0')).toThrow(/entry "password" of Secret default\/db is stored unencrypted/);
  });

  it('authenticates a text for one identity', () => {
    const code = box.authenticate(identity, 'text');
    expect(box.isAuthentic(identity, 'text', code)).toBe(true);
    const others = [undefined, '', 'hmacsha256::', `${code}A`, code?.slice(0, -4), code?.replace(/:\w+:/, ':00:')];
    expect(others.map((other) => box.isAuthentic(identity, 'text', other))).toEqual(others.map(() => false));
    expect(box.isAuthentic(identity, 'texT', code) || box.isAuthentic({ ...identity, key: 'other' }, 'text', code)).toBe(false);
  });

  it.each([
    ['namespace', { ...identity, namespace: 'other' }],
    ['name', { ...identity, name: 'other' }],
    ['key', { ...identity, key: 'other' }],
    ['boundary between the parts', { namespace: 'defaul', name: 'tdb', key: 'password' }],
  ])('does not open a ciphertext moved to another %s', (_part, moved) => {
    expect(() => box.open(moved, box.seal(identity, 'c2VjcmV0'))).toThrow(/does not decrypt/);
  });

  it.each([
    ['a flipped bit', (text: string) => text.slice(0, -4) + (text.at(-4) === 'A' ? 'B' : 'A') + text.slice(-3)],
    ['a truncated envelope', (text: string) => text.slice(0, 40)],
    ['an empty ciphertext', (text: string) => text.slice(0, text.lastIndexOf(':') + 1)],
  ])('does not open %s', (_damage, damage) => {
    const sealed = box.seal(identity, 'c2VjcmV0');
    expect(() => box.open(identity, damage(sealed))).toThrow(/entry "password" of Secret default\/db does not decrypt/);
  });

  it('names both keys when the envelope was sealed with a different one', () => {
    const other = createSecretBox(randomBytes(32).toString('hex'));
    expect(() => other.open(identity, box.seal(identity, 'c2VjcmV0'))).toThrow(
      `was encrypted with key ${box.keyId}, but this server's key is ${other.keyId}`,
    );
  });
});

describe('box with several keys', () => {
  const old = createSecretBox(key.toString('hex'));
  const fresh = randomBytes(32).toString('base64');
  const both = createSecretBox(fresh, key.toString('hex'));

  it('seals with the newest key unless another one is named', () => {
    expect(both.keyId).toBe(createSecretBox(fresh).keyId);
    expect(old.open(identity, both.seal(identity, 'c2VjcmV0', old.keyId))).toBe('c2VjcmV0');
    expect(() => old.open(identity, both.seal(identity, 'c2VjcmV0'))).toThrow(/was encrypted with key/);
  });

  it('opens and checks under each key', () => {
    expect(both.open(identity, old.seal(identity, 'c2VjcmV0'))).toBe('c2VjcmV0');
    expect(both.isAuthentic(identity, 'text', old.authenticate(identity, 'text'))).toBe(true);
    expect([both.has(old.keyId ?? ''), old.has(both.keyId ?? '')]).toEqual([true, false]);
  });
});

describe('a box without a key', () => {
  const box = createSecretBox();

  it('stores base64 plaintext', () => {
    expect(box.seal(identity, 'c2VjcmV0')).toBe('c2VjcmV0');
    expect(box.open(identity, 'c2VjcmV0')).toBe('c2VjcmV0');
  });

  it('authenticates nothing', () => {
    expect(box.authenticate(identity, 'text')).toBeUndefined();
    expect(box.isAuthentic(identity, 'text', undefined)).toBe(false);
  });

  it('names the key that an envelope needs', () => {
    const keyed = createSecretBox(key.toString('hex'));
    expect(() => box.open(identity, keyed.seal(identity, 'c2VjcmV0'))).toThrow(`encrypted with key ${keyed.keyId}, and this server has no`);
  });
});
