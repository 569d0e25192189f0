import { expect, test } from 'vitest';
import { draftProblem, EMPTY_SERVER, profileOf, type ServerDraft } from './server-draft.ts';

const draft = (changes: Partial<ServerDraft> = {}): ServerDraft => ({
  ...EMPTY_SERVER,
  name: 'Staging EU',
  address: 'https://svc.example',
  ...changes,
});

test.each([
  [{ name: ' ' }, 'name'],
  [{ address: 'svc.example' }, 'address'],
  [{ address: 'file:///etc/passwd' }, 'address'],
  [{ address: 'javascript:alert(1)' }, 'address'],
  [{ address: 'https://user:pw@svc.example' }, 'address'],
  [{ address: 'https://svc.example/?x=1' }, 'address'],
  [{ token: 'two words' }, 'token'],
  [{ fingerprint: 'AB:CD' }, 'fingerprint'],
] as const)('%o is refused at its field', (changes, field) => expect(draftProblem(draft(changes))?.field).toBe(field));

test('a draft becomes a profile with a plain address and a free id', () => {
  const given = draft({ address: ' https://svc.example/tools/ ', token: ' abc ', fingerprint: Array(32).fill('AB').join(':') });
  expect(draftProblem(given)).toBeUndefined();
  expect(profileOf(given, undefined, ['staging-eu'])).toEqual({
    id: 'staging-eu-2',
    name: 'Staging EU',
    origin: 'https://svc.example/tools',
    token: 'abc',
    fingerprint: 'ab'.repeat(32),
  });
  expect(profileOf(draft({ name: '日本' }), undefined, [])).toEqual({ id: 'server', name: '日本', origin: 'https://svc.example' });
  expect(profileOf(draft(), 'kept', ['kept']).id).toBe('kept');
});
