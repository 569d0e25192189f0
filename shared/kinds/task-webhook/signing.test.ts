// Signatures of deliveries against vectors of other signers.
import { expect, it } from 'vitest';
import { normalizeTaskWebhook } from './rules.ts';
import { signedHeaders } from './signing.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const specOf = (auth: object) => normalizeTaskWebhook({ task_ref: 't', auth: { secret_ref: 's', ...auth } });

it('signs as GitHub does', async () => {
  const headers = await signedHeaders({
    spec: specOf({ profile: 'github' }),
    secret: bytes("It's a Secret to Everybody"),
    body: bytes('Hello, World!'),
    eventId: 'e',
    now: 0,
  });
  expect(headers).toEqual({
    'X-CodeHost-Delivery': 'e',
    'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  });
});

it('signs time and body for profile generic', async () => {
  const delivery = { secret: bytes('topsecret'), body: bytes('{"event":"push","id":"evt-1"}'), eventId: 'evt-1', now: 1_700_000_000_999 };
  expect(await signedHeaders({ spec: specOf({}), ...delivery })).toEqual({
    'X-Event-Id': 'evt-1',
    'X-Timestamp': '1700000000',
    'X-Signature': 'sha256=d143a28cd1d1ead7d5bc01df4a0a0f7ad954011a98a24d49294328f360ec092b',
  });
});

it('sends the token of profile shared_token behind its prefix, and no event id that is left to the body', async () => {
  const spec = specOf({ profile: 'shared_token', signature_header: 'Authorization', signature_prefix: 'Bearer ' });
  const headers = await signedHeaders({ spec, secret: bytes('s3cret'), body: bytes('{}'), now: 0 });
  expect(headers).toEqual({ Authorization: 'Bearer s3cret' });
});

it.each([
  ['an empty secret', '', {}, 'the secret is empty'],
  ['a token that no header carries', 'a\r\nb: c', { profile: 'shared_token', signature_header: 'X-Token' }, 'a header cannot carry'],
])('refuses %s', async (_what, secret, auth, message) => {
  await expect(signedHeaders({ spec: specOf(auth), secret: bytes(secret), body: bytes(''), now: 0 })).rejects.toThrow(message);
});
