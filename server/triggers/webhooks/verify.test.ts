// Signatures of deliveries: published examples of each scheme, and what must not count.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { normalizeTaskWebhook } from '@svc/shared/kinds/task-webhook/rules';
import { deliveryProblem } from './verify.ts';

const AT = 1_700_000_000_000;

interface Sent {
  readonly auth: Record<string, unknown>;
  readonly secret: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function problem({ auth, secret, body, headers }: Sent, now = AT): string | undefined {
  const spec = normalizeTaskWebhook({ task_ref: 't', auth: { secret_ref: 's', ...auth } });
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return deliveryProblem({ auth: spec.auth, secret }, { header: (name) => lower[name.toLowerCase()], body: Buffer.from(body) }, now);
}

const hmac = (secret: string, text: string, algorithm = 'sha256') => createHmac(algorithm, secret).update(text);
const BODY = '{"event":"push","id":"evt-1"}';
const GENERIC: Sent = {
  auth: {},
  secret: 'topsecret',
  body: BODY,
  headers: {
    'X-Signature': 'sha256=d143a28cd1d1ead7d5bc01df4a0a0f7ad954011a98a24d49294328f360ec092b',
    'X-Timestamp': '1700000000',
  },
};
const GITHUB: Sent = {
  auth: { profile: 'github' },
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  headers: { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
};
const STRIPE_AUTH = {
  profile: 'hmac',
  payload_format: 'timestamp_dot_body',
  header_format: 'kv_pairs',
  timestamp_key: 't',
  signature_key: 'v1',
  signature_header: 'Stripe-Signature',
};
const stripe = (...signatures: string[]): Sent => ({
  auth: STRIPE_AUTH,
  secret: 'whsec_x',
  body: BODY,
  headers: { 'Stripe-Signature': ['t=1700000000', ...signatures.map((each) => `v1=${each}`), 'v0=old'].join(',') },
});
const STRIPE_SIGNATURE = hmac('whsec_x', `1700000000.${BODY}`).digest('hex');
const SLACK: Sent = {
  auth: {
    profile: 'hmac',
    payload_format: 'prefix_timestamp_body',
    payload_prefix: 'v0',
    payload_separator: ':',
    signature_prefix: 'v0=',
    signature_header: 'X-Slack-Signature',
    timestamp_header: 'X-Slack-Request-Timestamp',
  },
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  headers: {
    'X-Slack-Request-Timestamp': '1531420618',
    'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
};

describe('a genuine delivery', () => {
  it.each([
    ['of profile generic', GENERIC, AT],
    ['of GitHub', GITHUB, AT],
    ['of Stripe', stripe(STRIPE_SIGNATURE), AT],
    ['of Stripe with a second signature, while the secret is rolled', stripe('00'.repeat(32), STRIPE_SIGNATURE), AT],
    ['of Slack', SLACK, 1_531_420_618_000],
  ])('%s is accepted', (_what, sent, now) => {
    expect(problem(sent, now)).toBeUndefined();
  });

  it.each(
    ['sha1', 'sha256', 'sha512'].flatMap((algorithm) => (['hex', 'base64'] as const).map((encoding) => [algorithm, encoding] as const)),
  )('with hmac %s as %s is accepted', (algorithm, encoding) => {
    const auth = { profile: 'hmac', algorithm, signature_encoding: encoding, signature_header: 'X-Sig', signature_prefix: 'v=' };
    const headers = { 'X-Sig': `v=${hmac('k', BODY, algorithm).digest(encoding)}` };
    expect(problem({ auth, secret: 'k', body: BODY, headers })).toBeUndefined();
  });

  it('with hex in upper case, or with base64 without its padding, is accepted', () => {
    const auth = { profile: 'hmac', signature_encoding: 'hex', signature_header: 'X-Sig' };
    const headers = { 'X-Sig': hmac('k', BODY).digest('hex').toUpperCase() };
    expect(problem({ auth, secret: 'k', body: BODY, headers })).toBeUndefined();
    const unpadded = (cut: number) => ({ 'X-Sig': hmac('k', BODY).digest('base64').slice(0, -cut) });
    const base64 = { ...auth, signature_encoding: 'base64' };
    expect(problem({ auth: base64, secret: 'k', body: BODY, headers: unpadded(1) })).toBeUndefined();
    expect(problem({ auth: base64, secret: 'k', body: BODY, headers: unpadded(2) })).toMatch('does not match');
  });

  it.each(['1700000000', '1700000000000', '2023-11-14T22:13:20Z', '2023-11-14T23:13:20.000+01:00'])(
    'with the time %s is accepted',
    (time) => {
      const headers = { 'X-Timestamp': time, 'X-Signature': `sha256=${hmac('topsecret', `${time}.${BODY}`).digest('hex')}` };
      expect(problem({ ...GENERIC, headers })).toBeUndefined();
    },
  );

  it('with a body that is not UTF-8 is accepted', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00]);
    const headers = { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', 'k').update(body).digest('hex')}` };
    expect(problem({ ...GITHUB, secret: 'k', body, headers })).toBeUndefined();
  });

  it('may have any age with max_skew_seconds 0', () => {
    expect(problem({ ...GENERIC, auth: { max_skew_seconds: 0 } }, AT + 10 ** 9)).toBeUndefined();
  });

  it('with a plain signature needs no time for a timestamp_key, which only pairs have', () => {
    const auth = { profile: 'hmac', signature_header: 'X-Sig', timestamp_key: 't' };
    expect(problem({ auth, secret: 'k', body: BODY, headers: { 'X-Sig': hmac('k', BODY).digest('hex') } })).toBeUndefined();
  });

  it('with a shared token is accepted, behind its prefix where one is set', () => {
    const auth = { profile: 'shared_token', signature_header: 'Authorization', signature_prefix: 'Bearer ' };
    expect(problem({ auth, secret: 'tok', body: '', headers: { Authorization: 'Bearer tok' } })).toBeUndefined();
    expect(problem({ auth, secret: 'tok', body: '', headers: { Authorization: 'tok' } })).toMatch('does not match');
    expect(problem({ auth, secret: 'tok', body: '', headers: { Authorization: 'Bearer tokk' } })).toMatch('does not match');
  });
});

describe('a delivery', () => {
  const signature = GITHUB.headers['X-Hub-Signature-256'] ?? '';
  it.each([
    ['cut', signature.slice(0, -1)],
    ['in upper case of another secret', `sha256=${hmac('other', 'Hello, World!').digest('hex').toUpperCase()}`],
    ['with padding behind the hex', `${signature}=`],
    ['without its prefix', signature.slice(7)],
    ['as base64', `sha256=${Buffer.from(signature.slice(7), 'hex').toString('base64')}`],
    ['as base64url', `sha256=${Buffer.from(signature.slice(7), 'hex').toString('base64url')}`],
    ['sent twice', `${signature}, ${signature}`],
    ['empty behind its prefix', 'sha256='],
    ['of another secret', `sha256=${hmac('other', 'Hello, World!').digest('hex')}`],
  ])('with a signature %s is refused', (_what, value) => {
    expect(problem({ ...GITHUB, headers: { 'X-Hub-Signature-256': value } })).toMatch('does not match');
  });

  it('without a signature is refused', () => {
    expect(problem({ ...GITHUB, headers: {} })).toMatch('X-Hub-Signature-256 is missing');
    expect(problem({ ...stripe(), headers: { 'Stripe-Signature': 't=1700000000' } })).toMatch('does not match');
  });

  it('with a changed body is refused', () => {
    expect(problem({ ...GITHUB, body: 'Hello, World?' })).toMatch('does not match');
  });

  it('is refused when it is too old or from the future', () => {
    expect(problem(GENERIC, AT + 300_000)).toBeUndefined();
    expect(problem(GENERIC, AT + 301_000)).toMatch('more than 300 s');
    expect(problem(GENERIC, AT - 301_000)).toMatch('more than 300 s');
  });

  it.each(['', 'soon', '17e8', '-1700000000', '0x6553f100'])('signed at "%s" is refused', (time) => {
    const headers = { 'X-Timestamp': time, 'X-Signature': `sha256=${hmac('topsecret', `${time}.${BODY}`).digest('hex')}` };
    expect(problem({ ...GENERIC, headers })).toMatch('time of signing is missing');
  });
});
