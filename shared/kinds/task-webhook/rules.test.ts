import { describe, expect, test } from 'vitest';
import { mergePatch } from '../../json.ts';
import { patchBase } from '../patch-base.ts';
import { taskWebhook } from './index.ts';
import { adviseTaskWebhook, normalizeTaskWebhook, taskWebhookReferences, validateTaskWebhook } from './rules.ts';
import { HMAC_PAYLOAD_FORMATS, type WrittenTaskWebhookAuth, type WrittenTaskWebhookSpec, WEBHOOK_PROFILES } from './schema.ts';

const context = { namespace: 'team-a', name: 'on-order' };

function webhook(auth: Omit<WrittenTaskWebhookAuth, 'secret_ref'>) {
  return normalizeTaskWebhook({ task_ref: 'on-order', auth: { secret_ref: 'hook-key', ...auth } });
}

function errorPaths(auth: Omit<WrittenTaskWebhookAuth, 'secret_ref'>): string[] {
  return validateTaskWebhook(webhook(auth)).map((error) => error.path);
}

test('references are the template Task and the Secret, each possibly of another namespace', () => {
  const spec = normalizeTaskWebhook({ task_ref: 'team-b/on-order', auth: { secret_ref: 'hook-key' } });
  expect(taskWebhookReferences(spec, context)).toEqual([
    { kind: 'Task', namespace: 'team-b', name: 'on-order', path: 'spec.task_ref' },
    { kind: 'Secret', namespace: 'team-a', name: 'hook-key', path: 'spec.auth.secret_ref' },
  ]);
});

test.each(WEBHOOK_PROFILES)('profile %s verifies deliveries once it has a header and a secret', (profile) => {
  expect(errorPaths({ profile, signature_header: 'X-Sig' })).toEqual([]);
});

test('a webhook without auth is one of profile generic that lacks its secret', () => {
  expect(normalizeTaskWebhook({ task_ref: 'on-order' }).auth).toMatchObject({ profile: 'generic', secret_ref: '' });
});

test('an unknown profile gets no defaults of another and is reported alone', () => {
  expect(webhook({ profile: 'unheard-of' })).toEqual({
    task_ref: 'on-order',
    auth: { profile: 'unheard-of', secret_ref: 'hook-key', max_skew_seconds: 300 },
    idempotency: {},
    payload: { mode: 'raw', input_key: 'webhook_payload' },
  });
  expect(errorPaths({ profile: 'unheard-of', algorithm: 'md5' })).toEqual(['spec.auth.profile']);
});

test('a whole spec of a generic webhook with another profile must give up its timestamp header', () => {
  const stored = webhook({}).auth;
  expect(errorPaths({ ...stored, profile: 'codehost' })).toEqual(['spec.auth.timestamp_header']);
});

test.each([
  [{}, ['signature_key', 'timestamp_key', 'payload_prefix']],
  [{ header_format: 'kv_pairs', payload_format: 'timestamp_dot_body' }, ['payload_prefix']],
  [{ header_format: 'kv_pairs', payload_format: 'prefix_timestamp_body' }, []],
  [{ signature_key: '', timestamp_key: '', payload_prefix: '' }, []],
])('fields without effect in profile hmac are accepted with a warning: %j', (choice, named) => {
  const all = { signature_header: 'X-Sig', timestamp_header: 'X-Time', signature_key: 'v1', timestamp_key: 't', payload_prefix: 'v0' };
  const auth = { ...all, profile: 'hmac', ...choice };
  expect(errorPaths(auth)).toEqual([]);
  expect(adviseTaskWebhook(webhook(auth)).map(({ path }) => path)).toEqual(named.map((field) => `spec.auth.${field}`));
});

describe('a patch of a stored webhook', () => {
  const patched = (stored: Omit<WrittenTaskWebhookAuth, 'secret_ref'>, patch: object) => {
    const base = patchBase(taskWebhook, webhook(stored), context);
    const spec = normalizeTaskWebhook(mergePatch(base, patch) as WrittenTaskWebhookSpec);
    return { auth: spec.auth, idempotency: spec.idempotency, errors: validateTaskWebhook(spec).map(({ path }) => path) };
  };
  const fresh = (auth: Omit<WrittenTaskWebhookAuth, 'secret_ref'>) => {
    const { auth: made, idempotency } = webhook(auth);
    return { auth: made, idempotency, errors: [] };
  };

  test.each([
    ['generic', 'codehost'],
    ['generic', 'GitHub'],
    ['codehost', 'generic'],
    ['codehost', null],
    ['codehost', ''],
  ])('gives another profile its own defaults, from %s to %j', (from, to) => {
    expect(patched({ profile: from }, { auth: { profile: to } })).toEqual(fresh({ profile: to ?? 'generic' }));
  });

  test('keeps values that are not defaults, and its own, with another profile', () => {
    const own = { signature_header: 'X-Mine', timestamp_header: 'X-Time', max_skew_seconds: 60 };
    expect(patched(own, { auth: { profile: 'codehost' } })).toMatchObject({ auth: own, errors: ['spec.auth.timestamp_header'] });
    const patch = { auth: { profile: 'codehost', signature_header: 'X-Signature' }, idempotency: { dedupe_window_seconds: 86_400 } };
    expect(patched({}, patch)).toMatchObject({
      auth: { profile: 'codehost', signature_header: 'X-Signature' },
      idempotency: { event_id_header: 'X-CodeHost-Delivery', dedupe_window_seconds: 86_400 },
      errors: [],
    });
  });

  test('needs the header that profile hmac has no default for', () => {
    expect(patched({}, { auth: { profile: 'hmac' } }).errors).toEqual(['spec.auth.signature_header']);
    expect(patched({}, { auth: { profile: 'hmac', signature_header: 'X-Sig' } })).toEqual(
      fresh({ profile: 'hmac', signature_header: 'X-Sig' }),
    );
  });

  test.each([{}, { suspend: true }, { auth: { profile: 'Generic' } }])('keeps all that is stored without another profile: %j', (patch) => {
    expect(patched({}, patch)).toEqual(fresh({}));
  });
});

describe('where profile hmac finds the timestamp', () => {
  const hmac = { profile: 'hmac', signature_header: 'X-Sig', payload_prefix: undefined };
  const signed = HMAC_PAYLOAD_FORMATS.filter((format) => format !== 'body');

  test.each(signed)('%s needs a header for a plain signature', (payload_format) => {
    const auth = { ...hmac, payload_format, ...(payload_format === 'prefix_timestamp_body' && { payload_prefix: 'v0' }) };
    expect(errorPaths(auth)).toEqual(['spec.auth.timestamp_header']);
    expect(errorPaths({ ...auth, timestamp_header: 'X-Time' })).toEqual([]);
  });

  test.each(signed)('%s needs a key or a header with pairs', (payload_format) => {
    const prefix = payload_format === 'prefix_timestamp_body' ? { payload_prefix: 'v0' } : {};
    const auth = { ...hmac, ...prefix, payload_format, header_format: 'kv_pairs', signature_key: 'v1' };
    expect(errorPaths(auth)).toEqual(['spec.auth.timestamp_key']);
    expect(errorPaths({ ...auth, timestamp_key: 't' })).toEqual([]);
    expect(errorPaths({ ...auth, timestamp_header: 'X-Time' })).toEqual([]);
  });

  test('the plain body needs none', () => {
    expect(errorPaths({ ...hmac, payload_format: 'body' })).toEqual([]);
  });
});
